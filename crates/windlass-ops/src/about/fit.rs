//! As much of what was found as the budget lets through.

use std::collections::BTreeSet;

use super::gather::{Gathered, Item, Section};
use super::{About, Known};

/// About as many characters as a token has.
const CHARACTERS: usize = 4;
/// What a line costs beside its words.
const AROUND: usize = 30;
/// Characters of a text, from generous to none: the longest with which most fits is taken.
const TEXTS: [usize; 5] = [700, 400, 200, 90, 0];
/// The share of what was found that should fit before texts are made longer.
const ENOUGH: usize = 12;

pub fn within(found: Gathered, budget: u32) -> About {
    let characters = budget as usize * CHARACTERS;
    let length = TEXTS.into_iter().find(|length| {
        let first = found.items.iter().take(ENOUGH);
        first.map(|it| cost(it, *length)).sum::<usize>() <= characters
    });
    let length = length.unwrap_or(0);
    let mut left = characters.saturating_sub(found.topic.len() + AROUND);
    let mut taken: Vec<Item> = Vec::new();
    let mut left_out = 0;
    for mut item in found.items {
        let cost = cost(&item, length);
        if cost > left {
            left_out += 1;
            continue;
        }
        left -= cost;
        item.known.text = item
            .known
            .text
            .as_deref()
            .and_then(|text| shortened(text, length));
        taken.push(item);
    }
    let mut lines = |lines: Vec<String>| -> Vec<String> {
        let kept = lines.into_iter().filter(|line| {
            let cost = line.len() + 4;
            let fits = cost <= left;
            if fits {
                left -= cost;
            }
            fits
        });
        kept.collect()
    };
    let numbers: BTreeSet<i64> = taken.iter().map(|it| it.number).collect();
    let replaced = lines(found.replaced);
    let relations = found.relations.into_iter();
    let relations =
        relations.filter(|(from, to, _)| numbers.contains(from) && numbers.contains(to));
    let relations = lines(relations.map(|(_, _, line)| line).collect());
    taken.sort_by(|one, other| {
        other
            .millis
            .cmp(&one.millis)
            .then(other.number.cmp(&one.number))
            .then(one.known.id.cmp(&other.known.id))
    });
    let of = |section: Section| -> Vec<Known> {
        let items = taken.iter().filter(|it| it.section == section);
        items.map(|it| it.known.clone()).collect()
    };
    About {
        topic: found.topic,
        decisions: of(Section::Decisions),
        open_tasks: of(Section::OpenTasks),
        done_tasks: of(Section::DoneTasks),
        notes: of(Section::Notes),
        components: of(Section::Components),
        learnings: of(Section::Learnings),
        others: of(Section::Others),
        replaced,
        relations,
        left_out,
        mode: Some(found.mode),
        hint: found.hint,
    }
}

fn cost(item: &Item, length: usize) -> usize {
    let known = &item.known;
    let text = known
        .text
        .as_deref()
        .map_or(0, |text| text.len().min(length + 3));
    known.title.len() + text + AROUND
}

fn shortened(text: &str, length: usize) -> Option<String> {
    if length == 0 {
        return None;
    }
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match folded.char_indices().nth(length) {
        Some((end, _)) => Some(format!("{}…", &folded[..end])),
        None => Some(folded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::SearchMode;

    fn item(number: i64) -> Item {
        Item {
            section: Section::Notes,
            millis: number,
            number,
            known: Known {
                id: format!("#{number}"),
                kind: "note".to_owned(),
                title: format!("Note {number}"),
                status: None,
                date: "2026-01-01".to_owned(),
                text: Some("word ".repeat(200)),
            },
        }
    }

    #[test]
    fn it_fits_the_budget_and_says_what_is_left_out() {
        for budget in [100, 500, 2_000, 20_000] {
            let found = Gathered {
                topic: "notes".to_owned(),
                items: (1..=50).map(item).collect(),
                replaced: vec!["#99 Old: superseded".to_owned()],
                relations: vec![(1, 2, "#1 references #2".to_owned())],
                mode: SearchMode::Hybrid,
                hint: None,
            };
            let about = within(found, budget);
            let length = about.to_markdown().len();
            assert!(length <= budget as usize * 5, "{length} for {budget}");
            assert_eq!(about.notes.len() + about.left_out, 50);
            assert!(!about.notes.is_empty());
            let dates: Vec<&str> = about.notes.iter().map(|it| it.id.as_str()).collect();
            assert_eq!(dates[0], format!("#{}", about.notes.len()), "newest first");
        }
    }
}
