//! What is shown, and what keys do to it. Pure: it asks for what has to be read or done, and never
//! waits.

use ratatui::crossterm::event::KeyEvent;
use serde_json::{Value as Json, json};

use super::acts::{Act, Call};
use super::items::{Happened, Message, Opened, Waiting};
use super::keys::{self, Command};
use super::prompt::{Prompt, Purpose, Typed};
use super::rows::Rows;
use crate::surface::cli::board::card::Card;
use crate::surface::cli::board::columns::COLUMNS;

/// What fills the screen below an opened task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    Board,
    List,
    Inbox,
    Watch,
}

/// What the keys ask of the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// Read what is shown.
    Load,
    Prepare(Act, i64),
    Perform(Call),
    Redraw,
    Suspend,
    Quit,
    Interrupt,
}

pub struct State {
    pub page: Page,
    /// The last one is shown.
    pub opened: Vec<Opened>,
    pub columns: Vec<Rows<Card>>,
    /// The selected column, and the first visible one.
    pub column: usize,
    pub first_column: usize,
    pub visible_columns: usize,
    pub list: Rows<Card>,
    pub inbox: Rows<Waiting>,
    pub events: Rows<Happened>,
    /// Whether keys move in the events of the watch page, and not in its inbox.
    pub in_events: bool,
    /// The filters from the command line, and those typed.
    filters: Json,
    pub filter: String,
    pub prompt: Option<Prompt>,
    pub message: Option<Message>,
    pub shows_help: bool,
    after_g: bool,
    /// How many lines of an opened task are visible.
    pub height: usize,
}

impl State {
    pub fn new(page: Page, filters: Json) -> Self {
        let filter = filters["text"].as_str().unwrap_or_default().to_owned();
        Self {
            page,
            opened: Vec::new(),
            columns: COLUMNS.iter().map(|_| Rows::default()).collect(),
            // What a person can begin with.
            column: 1,
            first_column: 0,
            visible_columns: COLUMNS.len(),
            list: Rows::default(),
            inbox: Rows::default(),
            events: Rows::default(),
            in_events: false,
            filters,
            filter,
            prompt: None,
            message: None,
            shows_help: false,
            after_g: false,
            height: 1,
        }
    }

    /// The filters for `board_list`.
    pub fn filters(&self) -> Json {
        let mut filters = self.filters.clone();
        filters["text"] = match self.filter.as_str() {
            "" => Json::Null,
            text => json!(text),
        };
        filters
    }

    /// The task that acts are about.
    pub fn target(&self) -> Option<i64> {
        if let Some(opened) = self.opened.last() {
            return Some(opened.task);
        }
        match self.page {
            Page::Board => self
                .columns
                .get(self.column)?
                .selected()
                .map(|it| it.number),
            Page::List => self.list.selected().map(|card| card.number),
            Page::Watch if self.in_events => self.events.selected()?.number,
            Page::Inbox | Page::Watch => self.inbox.selected().map(|item| item.number),
        }
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_problem: false,
        });
    }

    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_problem: true,
        });
    }

    pub fn paste(&mut self, text: &str) -> Option<Wish> {
        let typed = self.prompt.as_mut()?.paste(text);
        self.typed(typed)
    }

    pub fn key(&mut self, key: &KeyEvent) -> Option<Wish> {
        self.message = None;
        if let Some(prompt) = &mut self.prompt {
            let typed = prompt.key(key);
            return self.typed(typed);
        }
        let after_g = std::mem::take(&mut self.after_g);
        let command = keys::command(key, after_g)?;
        if self.shows_help {
            self.shows_help = false;
            if !matches!(
                command,
                Command::Quit | Command::Interrupt | Command::Suspend
            ) {
                return None;
            }
        }
        self.command(command)
    }

    fn typed(&mut self, typed: Typed) -> Option<Wish> {
        if let (Typed::Changed, Some(prompt)) = (&typed, &self.prompt) {
            if let Purpose::Filter(_) = prompt.purpose {
                self.filter.clone_from(&prompt.text);
                return Some(Wish::Load);
            }
            return None;
        }
        if typed == Typed::More {
            return None;
        }
        let prompt = self.prompt.take()?;
        match (typed, prompt.purpose) {
            (Typed::Done, Purpose::Filter(before)) => {
                self.filter_typed(&prompt.text, before);
                Some(Wish::Load)
            }
            (_, Purpose::Filter(before)) => {
                self.filter = before;
                Some(Wish::Load)
            }
            (Typed::Done, Purpose::Confirm(call)) => Some(Wish::Perform(call)),
            (Typed::Done, Purpose::Text(call)) => call.with(&prompt.text).map(Wish::Perform),
            _ => {
                self.say("Nothing was changed.");
                None
            }
        }
    }

    /// `#12` opens a task, and leaves the filter as it was.
    fn filter_typed(&mut self, text: &str, before: String) {
        if let Some(number) = text.strip_prefix('#').and_then(|it| it.trim().parse().ok()) {
            self.filter = before;
            self.opened.push(Opened::task(number));
        }
    }

    fn command(&mut self, command: Command) -> Option<Wish> {
        match command {
            Command::Quit => return Some(Wish::Quit),
            Command::Interrupt => return Some(Wish::Interrupt),
            Command::Suspend => return Some(Wish::Suspend),
            Command::Redraw => return Some(Wish::Redraw),
            Command::Prefix => {
                self.after_g = true;
                return None;
            }
            Command::Help => {
                self.shows_help = true;
                return None;
            }
            Command::Go(page) => {
                self.page = page;
                self.opened.clear();
            }
            Command::Filter => {
                self.prompt = Some(Prompt::filter(self.filter.clone()));
                if !matches!(self.page, Page::Board | Page::List) {
                    self.page = Page::List;
                }
                self.opened.clear();
            }
            Command::Act(act) => {
                let Some(task) = self.target() else {
                    self.complain("No task is selected.");
                    return None;
                };
                return Some(Wish::Prepare(act, task));
            }
            Command::Back => return self.back(),
            Command::Open => {
                self.open();
                return None;
            }
            Command::OtherPane => {
                self.in_events = !self.in_events;
                return None;
            }
            movement => {
                self.go(movement);
                return None;
            }
        }
        Some(Wish::Load)
    }

    fn open(&mut self) {
        if self.opened.is_empty()
            && let Some(task) = self.target()
        {
            self.opened.push(Opened::task(task));
        }
    }

    fn back(&mut self) -> Option<Wish> {
        if self.opened.pop().is_none() {
            if self.filter.is_empty() {
                return None;
            }
            self.filter.clear();
        }
        Some(Wish::Load)
    }

    fn go(&mut self, movement: Command) {
        if let Some(opened) = self.opened.last_mut() {
            scroll(opened, movement, self.height);
            return;
        }
        match (self.page, movement) {
            (Page::Board, Command::Left) => self.column = self.column.saturating_sub(1),
            (Page::Board, Command::Right) => {
                self.column = (self.column + 1).min(self.columns.len() - 1);
            }
            (Page::Board, _) => {
                if let Some(rows) = self.columns.get_mut(self.column) {
                    step(rows, movement);
                }
            }
            (Page::List, _) => step(&mut self.list, movement),
            (Page::Watch, _) if self.in_events => step(&mut self.events, movement),
            (Page::Inbox | Page::Watch, _) => step(&mut self.inbox, movement),
        }
    }
}

fn step<T>(rows: &mut Rows<T>, movement: Command) {
    let page = isize::try_from(rows.visible).unwrap_or(1);
    match movement {
        Command::Down => rows.step(1),
        Command::Up => rows.step(-1),
        Command::PageDown => rows.step(page),
        Command::PageUp => rows.step(-page),
        Command::First => rows.select(0),
        Command::Last => rows.select(usize::MAX),
        _ => {}
    }
}

fn scroll(opened: &mut Opened, movement: Command, height: usize) {
    let last = opened.lines.len().saturating_sub(height);
    let to = match movement {
        Command::Down => opened.scroll + 1,
        Command::Up => opened.scroll.saturating_sub(1),
        Command::PageDown => opened.scroll + height,
        Command::PageUp => opened.scroll.saturating_sub(height),
        Command::First => 0,
        Command::Last => last,
        _ => opened.scroll,
    };
    opened.scroll = to.min(last);
}
