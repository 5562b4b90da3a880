//! A question at the lower edge: a filter, a text for an act, or a yes.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::acts::{Call, TextCall};

/// What is asked, and what was typed so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What a person reads before typing, one line each.
    pub lines: Vec<String>,
    pub text: String,
    pub purpose: Purpose,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Purpose {
    /// Narrow the tasks; with the filter that was there before.
    Filter(String),
    /// Do this after a yes.
    Confirm(Call),
    /// Do this with the text.
    Text(TextCall),
}

/// What a key made of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// Nothing yet.
    More,
    /// The text changed.
    Changed,
    /// It is complete.
    Done,
    GivenUp,
}

impl Prompt {
    pub fn filter(text: String) -> Self {
        Self {
            lines: Vec::new(),
            purpose: Purpose::Filter(text.clone()),
            text,
        }
    }

    pub fn key(&mut self, key: &KeyEvent) -> Typed {
        if let Purpose::Confirm(_) = self.purpose {
            return match key.code {
                KeyCode::Char('y' | 'Y') => Typed::Done,
                _ => Typed::GivenUp,
            };
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Typed::Done,
            KeyCode::Esc => return Typed::GivenUp,
            KeyCode::Char('c' | 'g') if control => return Typed::GivenUp,
            KeyCode::Char('u') if control => self.text.clear(),
            KeyCode::Char('w') if control => {
                let words = self.text.trim_end();
                let end = words.rfind(' ').map_or(0, |at| at + 1);
                self.text.truncate(end);
            }
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Char(letter) if !control => self.text.push(letter),
            _ => return Typed::More,
        }
        Typed::Changed
    }

    /// Adds text that was pasted; a yes is never pasted.
    pub fn paste(&mut self, text: &str) -> Typed {
        if matches!(self.purpose, Purpose::Confirm(_)) {
            return Typed::More;
        }
        self.text
            .push_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
        Typed::Changed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn typed(prompt: &mut Prompt, code: KeyCode, modifiers: KeyModifiers) -> Typed {
        prompt.key(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn a_line_is_typed_and_corrected() {
        let mut prompt = Prompt::filter(String::new());
        for letter in "two wordsx".chars() {
            typed(&mut prompt, KeyCode::Char(letter), KeyModifiers::NONE);
        }
        typed(&mut prompt, KeyCode::Backspace, KeyModifiers::NONE);
        assert_eq!(prompt.text, "two words");
        typed(&mut prompt, KeyCode::Char('w'), KeyModifiers::CONTROL);
        assert_eq!(prompt.text, "two ");
        assert_eq!(prompt.paste("more\r\nlines"), Typed::Changed);
        assert_eq!(prompt.text, "two more\nlines");
        typed(&mut prompt, KeyCode::Char('u'), KeyModifiers::CONTROL);
        assert_eq!(prompt.text, "");
        let end = typed(&mut prompt, KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(end, Typed::Done);
    }

    #[test]
    fn only_a_typed_y_is_a_yes() {
        let call = Call {
            operation: "review_approve",
            input: json!({}),
            done: String::new(),
        };
        let mut prompt = Prompt {
            lines: Vec::new(),
            text: String::new(),
            purpose: Purpose::Confirm(call),
        };
        assert_eq!(prompt.paste("y"), Typed::More);
        for (code, expected) in [
            (KeyCode::Char('y'), Typed::Done),
            (KeyCode::Char('n'), Typed::GivenUp),
            (KeyCode::Enter, Typed::GivenUp),
            (KeyCode::Esc, Typed::GivenUp),
        ] {
            assert_eq!(typed(&mut prompt, code, KeyModifiers::NONE), expected);
        }
    }
}
