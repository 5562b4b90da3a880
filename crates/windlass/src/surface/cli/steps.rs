//! The current step of a run, on one line of the terminal that is redrawn.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use windlass_ops::{Context, Progress};

use super::output::{self, Output};
use super::render::escape;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const EVERY: Duration = Duration::from_millis(100);
const CLEAR_LINE: &str = "\r\u{1b}[2K";

/// Shows the line until it is dropped.
pub struct Steps {
    drawing: Option<(mpsc::Sender<Progress>, JoinHandle<()>)>,
}

impl Steps {
    /// Shows the progress of a call, if a person reads the terminal.
    pub fn show(context: &mut Context, output: &Output) -> Self {
        if output.is_json() || !std::io::stderr().is_terminal() {
            return Self { drawing: None };
        }
        let (sender, progress) = mpsc::channel();
        let told = sender.clone();
        context.progress = Some(Arc::new(move |news| drop(told.send(news))));
        let drawing = std::thread::spawn(move || draw(&progress));
        Self {
            drawing: Some((sender, drawing)),
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some((sender, drawing)) = self.drawing.take() {
            // Stops the drawing even if the call still holds its end of the channel.
            let end = Progress {
                done: f64::NAN,
                total: None,
                message: String::new(),
            };
            let _ = sender.send(end);
            let _ = drawing.join();
        }
    }
}

fn draw(progress: &mpsc::Receiver<Progress>) {
    let mut now: Option<(Progress, Instant)> = None;
    for frame in FRAMES.iter().cycle() {
        match progress.recv_timeout(EVERY) {
            Ok(news) if news.done.is_nan() => break,
            Ok(news) => now = Some((news, Instant::now())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if let Some((news, since)) = &now {
            output::ask(&format!(
                "{CLEAR_LINE}{frame} {}",
                line(news, since.elapsed())
            ));
        }
    }
    output::ask(CLEAR_LINE);
}

/// `2/5 Build  12 s`.
fn line(news: &Progress, elapsed: Duration) -> String {
    let step = match news.total {
        Some(total) => format!("{}/{total} ", (news.done + 1.0).min(total)),
        None => String::new(),
    };
    let message: String = news.message.chars().take(60).collect();
    format!(
        "{step}{}  {} s",
        escape::one_line(&message),
        elapsed.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_from_one() {
        let news = Progress {
            done: 1.0,
            total: Some(5.0),
            message: "Build".into(),
        };
        assert_eq!(line(&news, Duration::from_secs(12)), "2/5 Build  12 s");
    }
}
