//! The screen at usual sizes, and what keys do.

use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;
use windlass_ops::{Span, Style, View};

use super::acts::Act;
use super::draw::{self, Theme};
use super::items::{Happened, Opened, Waiting};
use super::load;
use super::prompt::{Prompt, Purpose};
use super::rows::Rows;
use super::state::{Page, State, Wish};
use crate::surface::cli::board::card::Card;
use crate::surface::cli::board::card::tests::card;
use crate::surface::cli::board::source::Part;

const HOSTILE: &str = "Hostile \u{1b}[31mred\u{1b}[2J\r\u{202e}title";

fn part<T>(items: Vec<T>) -> Part<T> {
    Part {
        total: items.len(),
        offset: 0,
        items,
    }
}

fn cards() -> Vec<Vec<Card>> {
    let started = json!({"claimed_by": "claude-1", "started_at": "2026-11-16T11:57:00.000Z"});
    vec![
        vec![card(9, "An idea", "draft", json!({}))],
        vec![
            card(
                1,
                "Set up the database",
                "pending",
                json!({"priority": "urgent"}),
            ),
            card(
                6,
                "Write the README so that a stranger understands it",
                "pending",
                json!({"due_date": "2026-12-01", "tags": ["docs"], "priority": "high"}),
            ),
            card(11, HOSTILE, "pending", json!({"tags": ["\u{1b}[1m"]})),
        ],
        vec![card(3, "Cart survives a restart", "in_progress", started)],
        vec![card(
            7,
            "日本語のタイトルも切り取られるかどうか",
            "in_review",
            json!({}),
        )],
        vec![
            card(
                2,
                "Log in and log out",
                "pending",
                json!({"blocked_by": [1, 3]}),
            ),
            card(4, "Pay by card", "awaiting_human", json!({})),
        ],
        vec![card(8, "Ship on Friday", "done", json!({}))],
    ]
}

fn state(page: Page) -> State {
    let mut state = State::new(page, json!({}));
    for (rows, cards) in state.columns.iter_mut().zip(cards()) {
        rows.replace(part(cards), |card| card.number);
    }
    let all: Vec<Card> = cards().into_iter().flatten().collect();
    state.list.replace(part(all), |card| card.number);
    let waiting = |what: &str, number, title: &str, reason: &str| Waiting {
        what: what.to_owned(),
        number,
        title: title.to_owned(),
        reason: reason.to_owned(),
        since: "2026-11-16T10:00:00.000Z".to_owned(),
    };
    let inbox = vec![
        waiting("review", 7, "日本語", "review 2: waiting for your decision"),
        waiting("question", 4, "Pay by card", "question 1: Which provider?"),
    ];
    state.inbox.replace(part(inbox), |item| item.number);
    let event = |seq, who: &str, kind: &str, what: &str| Happened {
        seq,
        at: "2026-11-16T11:58:00Z".to_owned(),
        who: who.to_owned(),
        kind: kind.to_owned(),
        what: what.to_owned(),
        number: Some(3),
    };
    let events = vec![
        event(
            12,
            "claude-1",
            "gate.passed",
            "#3 Cart survives a restart gate tests, attempt 1",
        ),
        event(
            11,
            "cli:ann\u{1b}[5m",
            "entity.created",
            &format!("#11 {HOSTILE}"),
        ),
    ];
    state.events.replace(part(events), |event| event.seq);
    state
}

/// What a terminal of that size shows.
fn screen(state: &mut State, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
    let theme = Theme { color: true };
    terminal
        .draw(|frame| draw::draw(frame, state, theme, now))
        .unwrap();
    let text = terminal.backend().to_string();
    // After the closing quote it lists what wide letters hide.
    let lines = text.lines().map(|line| {
        let shown = line.strip_prefix('"').unwrap_or(line);
        let end = shown
            .split_once("\" Hidden")
            .map_or(shown, |(shown, _)| shown);
        end.trim_end_matches('"').trim_end()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn press(state: &mut State, keys: &str) -> Option<Wish> {
    let mut wish = None;
    for letter in keys.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            letter => KeyCode::Char(letter),
        };
        wish = state.key(&KeyEvent::new(code, KeyModifiers::NONE));
    }
    wish
}

#[test]
fn the_board_at_80_by_24() {
    insta::assert_snapshot!(screen(&mut state(Page::Board), 80, 24), @r"
     Board  List  Inbox 2  Watch
    Draft 1                   Ready 3                   In progress 1 ›
    #9 An idea                #1!! Set up the database  #3 Cart survives a
                                                        restart
                                                          claude-1, 3 min ago
                              #6! Write the README so
                              that a stranger understa…
                                due 2026-12-01  +docs
                              #11 Hostile \u{1b}[31mred
                              \u{1b}[2J\r\u{202e}title
                                +\u{1b}[1m












    ? keys  / filter  Enter open  Esc back  q quit
    ");
}

#[test]
fn the_board_at_120_by_40() {
    insta::assert_snapshot!(screen(&mut state(Page::Board), 120, 40), @r"
     Board  List  Inbox 2  Watch
    Draft 1                 Ready 3                 In progress 1           In review 1             Blocked 2 ›
    #9 An idea              #1!! Set up the         #3 Cart survives a      #7 日本語のタイトルも切 #2 Log in and log out
                            database                restart                 り取られるかどうか        waits for #1, #3
                                                      claude-1, 3 min ago     3 min ago
                            #6! Write the README so                                                 #4 Pay by card
                            that a stranger unders…                                                   waits for a person,…
                              due 2026-12-01  +docs
                            #11 Hostile \u{1b}[31mr
                            ed\u{1b}[2J\r\u{202e}t…
                              +\u{1b}[1m




























    ? keys  / filter  Enter open  Esc back  q quit
    ");
}

#[test]
fn the_board_at_40_columns() {
    insta::assert_snapshot!(screen(&mut state(Page::Board), 40, 12), @r"
     Board  List  Inbox 2  Watch
    ‹ Ready 3 ›
    #1!! Set up the database


    #6! Write the README so that a stranger
    understands it
      due 2026-12-01  +docs
    #11 Hostile
    \u{1b}[31mred\u{1b}[2J\r\u{202e}title
      +\u{1b}[1m
    ? keys  / filter  Ent…
    ");
}

#[test]
fn the_list() {
    insta::assert_snapshot!(screen(&mut state(Page::List), 80, 14), @r"
     Board  List  Inbox 2  Watch
        #9 draft                 An idea
        #1 pending        urgent Set up the database
        #6 pending        high   Write the README so that a stranger understands it…
       #11 pending               Hostile \u{1b}[31mred\u{1b}[2J\r\u{202e}title  +\u…
        #3 in_progress           Cart survives a restart  claude-1
        #7 in_review             日本語のタイトルも切り取られるかどうか
        #2 pending               Log in and log out  waits for #1, #3
        #4 awaiting_human        Pay by card  waits for a person
        #8 done                  Ship on Friday



    ? keys  / filter  Enter open  Esc back  q quit
    ");
    insta::assert_snapshot!(screen(&mut state(Page::List), 40, 8), @r"
     Board  List  Inbox 2  Watch
        #9 draft          An idea
        #1 pending        Set up the databa…
        #6 pending        Write the README…
       #11 pending        Hostile \u{1b}[31…
        #3 in_progress    Cart survives a r…
        #7 in_review      日本語のタイトル…
    ? keys  / filter  Ent…
    ");
}

#[test]
fn the_inbox() {
    insta::assert_snapshot!(screen(&mut state(Page::Inbox), 80, 10), @r"
     Board  List  Inbox 2  Watch
    review   #7 日本語  2 h ago
             review 2: waiting for your decision
    question #4 Pay by card  2 h ago
             question 1: Which provider?




    ? keys  / filter  Enter open  Esc back  q quit
    ");
}

#[test]
fn what_happens() {
    insta::assert_snapshot!(screen(&mut state(Page::Watch), 80, 24), @r"
     Board  List  Inbox 2  Watch
    Waits for you 2
    review   #7 日本語  2 h ago
             review 2: waiting for your decision
    question #4 Pay by card  2 h ago
             question 1: Which provider?


    What happens
      2 min ago  claude-1      gate.passed         #3 Cart survives a restart gate…
      2 min ago  cli:ann\u{1…  entity.created      #11 Hostile \u{1b}[31mred\u{1b}[…












    ? keys  / filter  Enter open  Esc back  q quit
    ");
    insta::assert_snapshot!(screen(&mut state(Page::Watch), 120, 16), @r"
     Board  List  Inbox 2  Watch
    Waits for you 2
    review   #7 日本語  2 h ago
             review 2: waiting for your decision

    What happens
      2 min ago  claude-1            gate.passed             #3 Cart survives a restart gate tests, attempt 1
      2 min ago  cli:ann\u{1b}[5m    entity.created          #11 Hostile \u{1b}[31mred\u{1b}[2J\r\u{202e}title







    ? keys  / filter  Enter open  Esc back  q quit
    ");
}

fn opened(state: &mut State, width: usize) {
    let mut opened = Opened::task(2);
    let view = View::default()
        .line([Span::new("#2  ", Style::Id), Span::from(HOSTILE)])
        .fields(vec![
            ("status".into(), Span::from("pending")),
            ("held by".into(), Span::from("a-session-with-a-long-name")),
        ])
        .blank()
        .text("A description that is longer than the screen is wide.\n\tindented");
    opened.view = Some(view);
    load::arrange(&mut opened, width);
    state.opened.push(opened);
}

#[test]
fn an_opened_task_and_its_scrolling() {
    let mut state = state(Page::Board);
    opened(&mut state, 40);
    insta::assert_snapshot!(screen(&mut state, 40, 9), @r"
     Board  List  Inbox 2  Watch   #2
    #2  Hostile \u{1b}[31mred\u{1b}[2J\r\u{2
    02e}title
    status   pending
    held by  a-session-with-a-long-name

    A description that is longer than the
    screen is wide.
    ? keys  / filter  Ent…         1 more ↓
    ");
    press(&mut state, "jjjjjj");
    insta::assert_snapshot!(screen(&mut state, 40, 9), @r"
     Board  List  Inbox 2  Watch   #2
    02e}title
    status   pending
    held by  a-session-with-a-long-name

    A description that is longer than the
    screen is wide.
        indented
    ? keys  / filter  Ent…
    ");
    assert_eq!(press(&mut state, "\u{1b}"), Some(Wish::Load));
    assert!(state.opened.is_empty());
}

#[test]
fn the_keys_fit_a_small_screen() {
    let mut state = state(Page::Board);
    press(&mut state, "?");
    insta::assert_snapshot!(screen(&mut state, 80, 24), @r"
     Board  List  Inbox 2  Watch
    Draft 1       Keys                                                ›
    #9 An idea    j k h l, arrows  move                               es a
                  Ctrl-D Ctrl-U    a page down, up
                  g g, G           first, last                        min ago
                  Enter            open
                  Esc              back
                  g b              board
                  g l              list
                  g i              inbox: what waits for you
                  g w              watch: what happens
                  Tab              other half of watch
                  /                filter by words; #N opens a task
                  s                start the task
                  + -              raise, lower its priority
                  d                show the change in review
                  a                approve its review
                  c                request changes
                  r                answer its question
                  ?                these keys
                  q, Ctrl-C        quit
                  Ctrl-Z           suspend

    ? keys  / filter  Enter open  Esc back  q quit
    ");
    for (width, height) in [(40, 12), (20, 5), (1, 1)] {
        screen(&mut state, width, height);
    }
    press(&mut state, "x");
    assert!(state.shows_help, "a key without a meaning changes nothing");
    press(&mut state, "?");
    assert!(!state.shows_help);
}

#[test]
fn a_question_and_a_message() {
    let mut state = state(Page::Board);
    state.prompt = Some(Prompt {
        lines: vec![
            HOSTILE.to_owned(),
            "  1  Red".to_owned(),
            "Your answer".to_owned(),
        ],
        text: "half an ans\u{1b}wer".to_owned(),
        purpose: Purpose::Filter(String::new()),
    });
    insta::assert_snapshot!(screen(&mut state, 50, 12), @r"
     Board  List  Inbox 2  Watch
    Draft 1                  Ready 3 ›
    #9 An idea               #1!! Set up the database


                             #6! Write the README so
                             that a stranger underst…
                               due 2026-12-01  +docs
    Hostile \u{1b}[31mred\u{1b}[2J\r\u{202e}title
      1 Red
    Your answer
    /half an ans\u{1b}wer
    ");
    state.prompt = None;
    state.complain(format!("Not allowed in state `in_review`. {HOSTILE}"));
    insta::assert_snapshot!(screen(&mut state, 50, 8), @r"
     Board  List  Inbox 2  Watch
    Draft 1                  Ready 3 ›
    #9 An idea               #1!! Set up the database



    Not allowed in state `in_review`. Hostile
    \u{1b}[31mred\u{1b}[2J\r\u{202e}title
    ");
}

#[test]
fn nothing_of_users_reaches_the_terminal_raw() {
    for page in [Page::Board, Page::List, Page::Inbox, Page::Watch] {
        for (width, height) in [(120, 40), (80, 24), (40, 12), (7, 3)] {
            let mut state = state(page);
            state.filter = HOSTILE.to_owned();
            state.say(HOSTILE);
            let shown = screen(&mut state, width, height);
            let hostile = |letter: char| letter != '\n' && letter.is_control();
            assert!(!shown.contains(hostile), "{page:?} {width}");
            assert!(!shown.contains('\u{202e}'), "{page:?} {width}");
        }
    }
}

#[test]
fn keys_move_and_open() {
    let mut state = state(Page::Board);
    screen(&mut state, 80, 24);
    assert_eq!(state.target(), Some(1));
    press(&mut state, "j");
    assert_eq!(state.target(), Some(6));
    press(&mut state, "G");
    assert_eq!(state.target(), Some(11));
    press(&mut state, "gg");
    assert_eq!(state.target(), Some(1));
    press(&mut state, "lll");
    assert_eq!((state.column, state.target()), (4, Some(2)));
    screen(&mut state, 80, 24);
    assert_eq!(state.first_column, 2, "the selected column is visible");
    press(&mut state, "hhhhhhhhh");
    assert_eq!(state.target(), Some(9));
    assert_eq!(press(&mut state, "gl"), Some(Wish::Load));
    assert_eq!(state.page, Page::List);
    assert_eq!(press(&mut state, "gi"), Some(Wish::Load));
    assert_eq!(state.target(), Some(7));
    press(&mut state, "j\n");
    assert_eq!(state.opened.last().map(|it| it.task), Some(4));
    assert_eq!(press(&mut state, "gw"), Some(Wish::Load));
    assert!(state.opened.is_empty());
    press(&mut state, "\t");
    assert_eq!(press(&mut state, "q"), Some(Wish::Quit));
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(state.key(&interrupt), Some(Wish::Interrupt));
}

#[test]
fn acts_are_about_the_selected_task() {
    let mut state = state(Page::Board);
    for (key, act) in [
        ("s", Act::Start),
        ("+", Act::Raise),
        ("-", Act::Lower),
        ("a", Act::Approve),
        ("c", Act::RequestChanges),
        ("r", Act::Answer),
        ("d", Act::Change),
    ] {
        assert_eq!(press(&mut state, key), Some(Wish::Prepare(act, 1)));
    }
    state
        .columns
        .iter_mut()
        .for_each(|rows| *rows = Rows::default());
    assert_eq!(press(&mut state, "s"), None);
    assert!(state.message.is_some_and(|message| message.is_problem));
}

#[test]
fn a_filter_narrows_while_it_is_typed_and_can_be_given_up() {
    let mut state = state(Page::Board);
    assert_eq!(press(&mut state, "/"), Some(Wish::Load));
    assert_eq!(press(&mut state, "car"), Some(Wish::Load));
    assert_eq!(state.filters()["text"], "car");
    press(&mut state, "\n");
    assert_eq!(
        (state.filter.as_str(), state.prompt.is_none()),
        ("car", true)
    );
    press(&mut state, "/ds\u{1b}");
    assert_eq!(state.filter, "car", "as before");
    press(&mut state, "\u{1b}");
    assert_eq!(state.filters()["text"], json!(null));
    press(&mut state, "/#12\n");
    assert_eq!(state.opened.last().map(|it| it.task), Some(12));
    assert_eq!(state.filter, "");
}

#[test]
fn pasted_text_presses_no_keys() {
    let mut state = state(Page::Board);
    assert_eq!(state.paste("q"), None);
    press(&mut state, "/");
    assert_eq!(state.paste("two words"), Some(Wish::Load));
    assert_eq!(state.filter, "two words");
}

#[test]
fn ten_thousand_tasks_are_drawn_in_a_moment() {
    let mut state = state(Page::Board);
    for rows in &mut state.columns {
        let wanted = rows.wanted();
        let items = wanted.clone().map(|at| {
            card(
                i64::try_from(at).unwrap(),
                "A task with a title of usual length",
                "pending",
                json!({}),
            )
        });
        let part = Part {
            total: 10_000,
            offset: wanted.start,
            items: items.collect(),
        };
        rows.replace(part, |card| card.number);
    }
    let start = std::time::Instant::now();
    for _ in 0..100 {
        press(&mut state, "j");
        screen(&mut state, 200, 60);
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
