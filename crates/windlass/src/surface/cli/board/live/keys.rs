//! The keys: what each does, and the lines of the help.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::acts::Act;
use super::state::Page;

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Down,
    Up,
    Left,
    Right,
    PageDown,
    PageUp,
    First,
    Last,
    Open,
    Back,
    Go(Page),
    /// The first of two keys.
    Prefix,
    OtherPane,
    Filter,
    Help,
    Act(Act),
    Redraw,
    Suspend,
    Quit,
    Interrupt,
}

/// The help: keys, and what they do.
pub const HELP: &[(&str, &str)] = &[
    ("j k h l, arrows", "move"),
    ("Ctrl-D Ctrl-U", "a page down, up"),
    ("g g, G", "first, last"),
    ("Enter", "open"),
    ("Esc", "back"),
    ("g b", "board"),
    ("g l", "list"),
    ("g i", "inbox: what waits for you"),
    ("g w", "watch: what happens"),
    ("Tab", "other half of watch"),
    ("/", "filter by words; #N opens a task"),
    ("s", "start the task"),
    ("+ -", "raise, lower its priority"),
    ("d", "show the change in review"),
    ("a", "approve its review"),
    ("c", "request changes"),
    ("r", "answer its question"),
    ("?", "these keys"),
    ("q, Ctrl-C", "quit"),
    ("Ctrl-Z", "suspend"),
];

/// What a key asks for; `after_g` if the key before it was `g`.
pub fn command(key: &KeyEvent, after_g: bool) -> Option<Command> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Command::Interrupt),
            KeyCode::Char('z') => Some(Command::Suspend),
            KeyCode::Char('l') => Some(Command::Redraw),
            KeyCode::Char('d' | 'f') => Some(Command::PageDown),
            KeyCode::Char('u' | 'b') => Some(Command::PageUp),
            _ => None,
        };
    }
    if after_g {
        return match key.code {
            KeyCode::Char('b') => Some(Command::Go(Page::Board)),
            KeyCode::Char('l') => Some(Command::Go(Page::List)),
            KeyCode::Char('i') => Some(Command::Go(Page::Inbox)),
            KeyCode::Char('w') => Some(Command::Go(Page::Watch)),
            KeyCode::Char('g') => Some(Command::First),
            _ => None,
        };
    }
    Some(match key.code {
        KeyCode::Char('j') | KeyCode::Down => Command::Down,
        KeyCode::Char('k') | KeyCode::Up => Command::Up,
        KeyCode::Char('h') | KeyCode::Left => Command::Left,
        KeyCode::Char('l') | KeyCode::Right => Command::Right,
        KeyCode::Char(' ') | KeyCode::PageDown => Command::PageDown,
        KeyCode::PageUp => Command::PageUp,
        KeyCode::Home => Command::First,
        KeyCode::Char('G') | KeyCode::End => Command::Last,
        KeyCode::Char('g') => Command::Prefix,
        KeyCode::Enter => Command::Open,
        KeyCode::Esc | KeyCode::Backspace => Command::Back,
        KeyCode::Tab | KeyCode::BackTab => Command::OtherPane,
        KeyCode::Char('/') => Command::Filter,
        KeyCode::Char('?') => Command::Help,
        KeyCode::Char('d') => Command::Act(Act::Change),
        KeyCode::Char('s') => Command::Act(Act::Start),
        KeyCode::Char('+' | '=') => Command::Act(Act::Raise),
        KeyCode::Char('-') => Command::Act(Act::Lower),
        KeyCode::Char('a') => Command::Act(Act::Approve),
        KeyCode::Char('c') => Command::Act(Act::RequestChanges),
        KeyCode::Char('r') => Command::Act(Act::Answer),
        KeyCode::Char('q') => Command::Quit,
        _ => return None,
    })
}
