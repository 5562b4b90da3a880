//! The terminal while the board has it: its own screen, keys as they are pressed, and everything as it
//! was before when it ends, in whatever manner.

use std::io::{BufWriter, Stdout, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use windlass_core::{Error, Result};

/// Whether the terminal is in the state that the board needs.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Has the terminal until it is dropped.
pub struct Screen {
    pub terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    pub fn take() -> Result<Self> {
        restore_after_panics();
        let screen = Self {
            terminal: terminal()?,
        };
        // What fails halfway is undone when the screen is dropped.
        take()?;
        Ok(screen)
    }

    /// Takes the terminal again, and forgets what is on it.
    pub fn retake(&mut self) -> Result<()> {
        take()?;
        execute!(stdout(), Clear(ClearType::All)).map_err(cannot)?;
        // Its own way to forget asks the terminal where the cursor is, and the answer would have to come
        // between the keys.
        self.terminal = terminal()?;
        Ok(())
    }

    /// Takes the terminal again if a panic somewhere gave it back.
    pub fn keep(&mut self) -> Result<()> {
        if TAKEN.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.retake()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        release();
    }
}

fn terminal() -> Result<Terminal<CrosstermBackend<BufWriter<Stdout>>>> {
    let backend = CrosstermBackend::new(BufWriter::new(stdout()));
    Terminal::new(backend).map_err(cannot)
}

pub fn cannot(problem: std::io::Error) -> Error {
    Error::internal(format!("Cannot use the terminal: {problem}"))
        .with_hint("`windlass board --once` prints the board and needs no terminal.")
}

fn take() -> Result<()> {
    enable_raw_mode().map_err(cannot)?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste).map_err(cannot)
}

/// Gives the terminal back. Errors are of no use here: a terminal that is gone needs nothing.
pub fn release() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// A message about a panic must be readable: the terminal is given back before it is printed.
fn restore_after_panics() {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            release();
            before(panic);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_gives_the_terminal_back() {
        restore_after_panics();
        TAKEN.store(true, Ordering::SeqCst);
        let panicked = std::panic::catch_unwind(|| panic!("on purpose"));
        assert!(panicked.is_err());
        assert!(!TAKEN.load(Ordering::SeqCst));
    }
}
