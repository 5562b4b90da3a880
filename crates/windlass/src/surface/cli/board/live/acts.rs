//! What a person can do to a task from the board. Each act is one operation, which decides whether it
//! is allowed; here is only what it has to be asked.

use serde_json::{Value as Json, json};
use windlass_core::{Error, ErrorKind, Priority, Result};
use windlass_ops::AnyOutput as _;

use super::items::Opened;
use super::prompt::{Prompt, Purpose};
use crate::surface::cli::board::source::Source;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Start,
    Raise,
    Lower,
    Approve,
    RequestChanges,
    Answer,
    /// Show the change of the task's review.
    Change,
}

/// A call that is ready to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub operation: &'static str,
    pub input: Json,
    /// What to say afterwards, unless the output has a message.
    pub done: String,
}

/// A call that lacks a text.
#[derive(Debug, Clone, PartialEq)]
pub enum TextCall {
    /// What is missing, for a review.
    Summary { review: i64, task: i64 },
    /// The answer to a question that has this many suggestions.
    Answer {
        question: i64,
        task: i64,
        suggestions: usize,
    },
}

impl TextCall {
    /// The call with the text; none if the text is empty.
    pub fn with(&self, text: &str) -> Option<Call> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        Some(match self {
            Self::Summary { review, task } => Call {
                operation: "review_request_changes",
                input: json!({"id": review.to_string(), "summary": text}),
                done: format!("Requested changes of #{task}"),
            },
            Self::Answer {
                question,
                task,
                suggestions,
            } => {
                let chosen = text.parse::<usize>().ok();
                let chosen = chosen.filter(|it| (1..=*suggestions).contains(it));
                let mut input = json!({"id": question.to_string(), "resume": true});
                match chosen {
                    Some(position) => input["chosen_option"] = json!(position - 1),
                    None => input["response"] = json!(text),
                }
                Call {
                    operation: "help_respond",
                    input,
                    done: format!("Answered the question of #{task}; it goes on"),
                }
            }
        })
    }
}

/// What comes of an act: a call, or a question first.
#[derive(Debug, Clone, PartialEq)]
pub enum Prepared {
    Call(Call),
    Ask(Prompt),
    Open(Opened),
}

/// Finds out what an act needs to know about the task.
pub async fn prepare(source: &Source, act: Act, task: i64) -> Result<Prepared> {
    let id = task.to_string();
    if act == Act::Start {
        return Ok(Prepared::Call(Call {
            operation: "work_start",
            input: json!({ "id": id }),
            done: format!("Started #{task}"),
        }));
    }
    let shown = source.call("board_show", json!({ "id": id })).await?;
    prepare_shown(act, task, &shown.to_json())
}

fn prepare_shown(act: Act, task: i64, shown: &Json) -> Result<Prepared> {
    match act {
        Act::Start => Err(Error::internal("Starting needs no details")),
        Act::Raise => priority(task, shown, -1).map(Prepared::Call),
        Act::Lower => priority(task, shown, 1).map(Prepared::Call),
        Act::Approve => approve(task, shown).map(Prepared::Ask),
        Act::RequestChanges => request_changes(task, shown).map(Prepared::Ask),
        Act::Answer => answer(task, shown),
        Act::Change => {
            review_of(task, shown).map(|review| Prepared::Open(Opened::change(task, review)))
        }
    }
}

/// The next priority in the order of the queue, in which the most urgent comes first.
fn priority(task: i64, shown: &Json, step: i64) -> Result<Call> {
    let word = shown["priority"].as_str().unwrap_or_default();
    let now = Priority::parse_any(word).unwrap_or(Priority::Normal);
    let Some(wanted) = Priority::from_number(now.number() + step) else {
        let most = if step < 0 { "highest" } else { "lowest" };
        return Err(nothing(format!("#{task} already has the {most} priority")));
    };
    let name = wanted.name();
    Ok(Call {
        operation: "board_update",
        input: json!({"id": task.to_string(), "priority": name}),
        done: format!("#{task} has priority {name}"),
    })
}

fn review_of(task: i64, shown: &Json) -> Result<i64> {
    let review = shown["review"]["number"].as_i64();
    review.ok_or_else(|| nothing(format!("#{task} has no review")))
}

fn approve(task: i64, shown: &Json) -> Result<Prompt> {
    let review = review_of(task, shown)?;
    let title = shown["title"].as_str().unwrap_or_default();
    Ok(Prompt {
        lines: vec![format!("Approve review {review} of #{task} {title}? y/N")],
        text: String::new(),
        purpose: Purpose::Confirm(Call {
            operation: "review_approve",
            input: json!({"id": review.to_string()}),
            done: format!("Approved #{task}"),
        }),
    })
}

fn request_changes(task: i64, shown: &Json) -> Result<Prompt> {
    let review = review_of(task, shown)?;
    Ok(Prompt {
        lines: vec![format!(
            "What has to change in #{task}? Enter sends, Esc gives up"
        )],
        text: String::new(),
        purpose: Purpose::Text(TextCall::Summary { review, task }),
    })
}

fn answer(task: i64, shown: &Json) -> Result<Prepared> {
    let question = &shown["question"];
    let Some(number) = question["number"].as_i64() else {
        return Err(nothing(format!("#{task} has no open question")));
    };
    if question["status"] == "responded" {
        return Ok(Prepared::Call(Call {
            operation: "help_resume",
            input: json!({"task_id": task.to_string()}),
            done: format!("#{task} goes on"),
        }));
    }
    let reason = question["reason"].as_str().unwrap_or_default();
    let mut lines: Vec<String> = reason.lines().map(str::to_owned).collect();
    let suggestions = question["suggested_options"].as_array();
    let suggestions = suggestions.map_or(&[][..], Vec::as_slice);
    for (at, text) in suggestions.iter().enumerate() {
        let text = text.as_str().unwrap_or_default();
        lines.push(format!("  {}  {text}", at + 1));
    }
    let choice = if suggestions.is_empty() {
        ""
    } else {
        " or the number of a suggestion"
    };
    lines.push(format!("Your answer{choice}; Enter sends, Esc gives up"));
    Ok(Prepared::Ask(Prompt {
        lines,
        text: String::new(),
        purpose: Purpose::Text(TextCall::Answer {
            question: number,
            task,
            suggestions: suggestions.len(),
        }),
    }))
}

fn nothing(message: String) -> Error {
    Error::new(ErrorKind::InvalidTransition, message)
}

/// Makes the call, and returns what to say about it.
pub async fn perform(source: &Source, call: &Call) -> Result<String> {
    let response = source.call(call.operation, call.input.clone()).await?;
    let said = response.to_json()["message"].as_str().map(str::to_owned);
    Ok(said.unwrap_or_else(|| call.done.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_priority_moves_by_one_and_stops_at_the_ends() {
        for (word, act, expected) in [
            ("normal", Act::Raise, Some("high")),
            ("high", Act::Raise, Some("urgent")),
            ("urgent", Act::Raise, None),
            ("normal", Act::Lower, Some("low")),
            ("low", Act::Lower, None),
        ] {
            let made = prepare_shown(act, 7, &json!({ "priority": word }));
            match (made, expected) {
                (Ok(Prepared::Call(call)), Some(expected)) => {
                    assert_eq!(call.operation, "board_update");
                    assert_eq!(call.input, json!({"id": "7", "priority": expected}));
                }
                (Err(error), None) => assert!(error.to_string().contains("already"), "{error}"),
                other => panic!("{word}: {other:?}"),
            }
        }
    }

    #[test]
    fn an_approval_asks_first() {
        let shown = json!({"title": "Log in", "review": {"number": 3}});
        let Ok(Prepared::Ask(prompt)) = prepare_shown(Act::Approve, 7, &shown) else {
            panic!("a question");
        };
        assert_eq!(prompt.lines, ["Approve review 3 of #7 Log in? y/N"]);
        let Purpose::Confirm(call) = prompt.purpose else {
            panic!("a yes or no");
        };
        assert_eq!(
            (call.operation, call.input),
            ("review_approve", json!({"id": "3"}))
        );
        let none = prepare_shown(Act::Approve, 7, &json!({"title": "x"}));
        assert_eq!(none.unwrap_err().to_string(), "#7 has no review");
    }

    #[test]
    fn an_answer_is_a_text_or_a_suggestion() {
        let shown = json!({"question": {"number": 2, "status": "pending", "reason": "Which?",
            "suggested_options": ["Red", "Blue"]}});
        let Ok(Prepared::Ask(prompt)) = prepare_shown(Act::Answer, 7, &shown) else {
            panic!("a question");
        };
        assert_eq!(prompt.lines[..3], ["Which?", "  1  Red", "  2  Blue"]);
        let Purpose::Text(text) = prompt.purpose else {
            panic!("a text");
        };
        let input = |typed: &str| text.with(typed).map(|call| call.input);
        assert_eq!(
            input("2"),
            Some(json!({"id": "2", "resume": true, "chosen_option": 1}))
        );
        assert_eq!(
            input("3"),
            Some(json!({"id": "2", "resume": true, "response": "3"}))
        );
        assert_eq!(input("  "), None);
        let answered = json!({"question": {"number": 2, "status": "responded"}});
        let Ok(Prepared::Call(call)) = prepare_shown(Act::Answer, 7, &answered) else {
            panic!("a call");
        };
        assert_eq!(call.operation, "help_resume");
    }
}
