//! Waits for keys, commits and signals, and draws what came of them.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyEventKind};
use rustix::process::Signal as Sent;
use serde_json::Value as Json;
use tokio::signal::unix::{Signal as Continued, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, interval_at, sleep_until, timeout};
use windlass_core::{Error, ErrorKind, Result};
use windlass_store::Changes;

use super::acts::{Call, Prepared, perform, prepare};
use super::draw::{self, Theme};
use super::load;
use super::screen::{Screen, cannot, release};
use super::state::{Page, State, Wish};
use crate::surface::cli::board::source::Source;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::execute;
use crate::surface::signals::{Signal, Signals};

/// Between two readings because of commits: many commits a second are shown together.
const PAUSE: Duration = Duration::from_millis(50);
/// How often "3 min ago" is drawn anew. Nothing is read for it.
const AGES: Duration = Duration::from_secs(30);
/// How long a stop by Ctrl-Z may take to arrive. Where nobody could continue the process, it never
/// does.
const STOPPING: Duration = Duration::from_millis(300);

/// Shows a page until a person leaves it.
pub fn run(caller: &Caller, page: Page, filters: Json) -> Result<ExitCode> {
    let context = caller.context()?;
    // The watching begins before the first reading, so that no commit between them is missed.
    let changes = Arc::clone(&context.store).watch();
    let board = Live {
        state: State::new(page, filters),
        source: Source::new(context),
        theme: Theme {
            color: caller.output.colors(&std::io::stdout()),
        },
        screen: None,
    };
    let runtime = execute::runtime()?;
    let ended = runtime.block_on(board.follow(changes));
    // The thread that waits for keys never ends by itself.
    runtime.shutdown_background();
    ended
}

struct Live {
    state: State,
    source: Source,
    theme: Theme,
    screen: Option<Screen>,
}

impl Live {
    async fn follow(mut self, mut changes: Changes) -> Result<ExitCode> {
        // What is wrong with the project is said on the terminal as it is.
        self.load().await?;
        let mut signals = Signals::listen()?;
        let mut continued = signal(SignalKind::from_raw(Sent::CONT.as_raw()))
            .map_err(|problem| Error::internal(format!("signals: {problem}")))?;
        self.screen = Some(Screen::take()?);
        let mut keys = keys();
        let mut ages = interval_at(Instant::now() + AGES, AGES);
        // When the state was read last, and whether something was committed since.
        let mut read_at = Instant::now();
        let mut is_stale = true;
        loop {
            self.draw()?;
            tokio::select! {
                event = keys.recv() => {
                    let Some(mut event) = event else { return Ok(ExitCode::SUCCESS) };
                    // Keys that came while it was drawing are handled before it draws again.
                    loop {
                        if let Some(code) = self.handle(event, &mut continued).await? {
                            return Ok(code);
                        }
                        match keys.try_recv() {
                            Ok(next) => event = next,
                            Err(_) => break,
                        }
                    }
                }
                () = changes.changed() => is_stale = true,
                () = sleep_until(read_at + PAUSE), if is_stale => {
                    is_stale = false;
                    self.reload().await;
                    read_at = Instant::now();
                }
                _ = ages.tick() => {}
                _ = continued.recv() => self.retake()?,
                signal = signals.next() => return Ok(signal.exit_code()),
            }
        }
    }

    /// Does what a key asks for. Returns the exit code if it ends the board.
    async fn handle(
        &mut self,
        event: Event,
        continued: &mut Continued,
    ) -> Result<Option<ExitCode>> {
        match self.event(event) {
            None => self.missing().await,
            Some(Wish::Quit) => return Ok(Some(ExitCode::SUCCESS)),
            Some(Wish::Interrupt) => return Ok(Some(Signal::Interrupt.exit_code())),
            Some(Wish::Redraw) => self.retake()?,
            Some(Wish::Suspend) => self.suspend(continued).await?,
            Some(Wish::Load) => self.reload().await,
            Some(Wish::Perform(call)) => {
                self.perform(&call).await;
                self.reload().await;
            }
            Some(Wish::Prepare(act, task)) => match prepare(&self.source, act, task).await {
                Ok(Prepared::Call(call)) => {
                    self.perform(&call).await;
                    self.reload().await;
                }
                Ok(Prepared::Ask(prompt)) => self.state.prompt = Some(prompt),
                Ok(Prepared::Open(opened)) => {
                    self.state.opened.push(opened);
                    self.missing().await;
                }
                Err(error) => self.complain(&error),
            },
        }
        Ok(None)
    }

    fn event(&mut self, event: Event) -> Option<Wish> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.state.key(&key),
            Event::Paste(text) => self.state.paste(&text),
            Event::Resize(..) => {
                self.arrange();
                Some(Wish::Load)
            }
            _ => None,
        }
    }

    async fn perform(&mut self, call: &Call) {
        match perform(&self.source, call).await {
            Ok(said) => self.state.say(said),
            Err(error) => self.complain(&error),
        }
    }

    fn complain(&mut self, error: &Error) {
        let hint = error.hint().map(|hint| format!(" {hint}"));
        self.state
            .complain(format!("{error}.{}", hint.unwrap_or_default()));
    }

    fn size(&self) -> (u16, u16) {
        let size = self.screen.as_ref().and_then(|it| it.terminal.size().ok());
        size.map_or((80, 24), |size| (size.width, size.height))
    }

    async fn load(&mut self) -> Result<()> {
        let (width, height) = self.size();
        draw::fit(&mut self.state, width, height);
        load::load(&mut self.state, &self.source, usize::from(width)).await
    }

    /// Reads again. What cannot be read is said, and what was read before stays.
    async fn reload(&mut self) {
        let Err(error) = self.load().await else {
            return;
        };
        // Deleted meanwhile, or never there.
        if error.kind() == ErrorKind::EntityNotFound && self.state.opened.pop().is_some() {
            let _ = self.load().await;
        }
        self.complain(&error);
    }

    async fn missing(&mut self) {
        let (width, height) = self.size();
        draw::fit(&mut self.state, width, height);
        let width = usize::from(width);
        if let Err(error) = load::load_missing(&mut self.state, &self.source, width).await {
            self.complain(&error);
        }
    }

    fn arrange(&mut self) {
        let width = usize::from(self.size().0);
        for opened in &mut self.state.opened {
            load::arrange(opened, width);
        }
    }

    fn draw(&mut self) -> Result<()> {
        let (state, theme) = (&mut self.state, self.theme);
        if let Some(screen) = &mut self.screen {
            screen.keep()?;
            let now = jiff::Timestamp::now();
            let drawn = screen
                .terminal
                .draw(|frame| draw::draw(frame, state, theme, now));
            drawn.map_err(cannot)?;
        }
        Ok(())
    }

    fn retake(&mut self) -> Result<()> {
        match &mut self.screen {
            Some(screen) => screen.retake(),
            None => Ok(()),
        }
    }

    /// As Ctrl-Z does where the terminal handles it: the whole job stops, and the shell has the
    /// terminal as it was.
    async fn suspend(&mut self, continued: &mut Continued) -> Result<()> {
        release();
        let _ = rustix::process::kill_current_process_group(Sent::TSTP);
        // The stop may take a moment to arrive; what comes after it is the order to continue.
        let _ = timeout(STOPPING, continued.recv()).await;
        self.retake()
    }
}

/// What a person types, read by a thread of its own because reading waits.
fn keys() -> UnboundedReceiver<Event> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.send(event).is_err() {
                return;
            }
        }
    });
    receiver
}
