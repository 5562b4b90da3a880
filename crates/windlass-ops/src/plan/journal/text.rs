//! The text of a state file: entries as lines, and lines as entries.
//!
//! An entry is a line with its time in brackets; further lines of it are indented. Lines that a person
//! wrote have no time: they are taken to follow the entry before them. Writing what was read gives the
//! same entries again, in whatever order they were merged.

use std::collections::BTreeSet;

use windlass_core::Timestamp;

/// One entry of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub at: Timestamp,
    pub text: String,
}

/// Lines without any time before them belong to this day, and are written without it.
const BEFORE_ALL_TIME: &str = "1970-01-01";

/// The longest line that is taken in as one entry.
const LONGEST: usize = 60_000;

/// What was read from a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileLines {
    /// Entries with a time.
    pub stamped: Vec<Line>,
    /// Lines of people, with the time that they get.
    pub unstamped: Vec<Line>,
}

pub fn write<'a>(entries: impl IntoIterator<Item = &'a Line>) -> String {
    let mut text = String::new();
    for entry in entries {
        if entry.at.day() != BEFORE_ALL_TIME {
            text.push('[');
            text.push_str(entry.at.as_str());
            text.push_str("] ");
        }
        text.push_str(&entry.text.replace('\n', "\n  "));
        text.push('\n');
    }
    text
}

pub fn read(text: &str) -> FileLines {
    let mut lines = FileLines::default();
    let mut at = Timestamp::from_millis(0);
    let mut last_is_stamped = None;
    for line in text.lines() {
        if let (Some(more), Some(is_stamped)) = (line.strip_prefix("  "), last_is_stamped) {
            let list = if is_stamped {
                &mut lines.stamped
            } else {
                &mut lines.unstamped
            };
            if let Some(entry) = list.last_mut() {
                entry.text.push('\n');
                entry.text.push_str(more.trim_end());
            }
            continue;
        }
        let line = line.trim_end();
        if line.is_empty() || is_conflict_marker(line) {
            continue;
        }
        if let Some((moment, text)) = stamp(line) {
            at = moment.clone();
            let text = text.to_owned();
            lines.stamped.push(Line { at: moment, text });
            last_is_stamped = Some(true);
        } else {
            // Each gets a moment of its own, so that they stay in order.
            at = Timestamp::from_millis(at.as_millis().saturating_add(1));
            let text = line.to_owned();
            lines.unstamped.push(Line {
                at: at.clone(),
                text,
            });
            last_is_stamped = Some(false);
        }
    }
    let is_valid = |line: &mut Line| {
        line.text.truncate(line.text.trim_end().len());
        !line.text.trim().is_empty() && line.text.len() <= LONGEST && !line.text.contains('\0')
    };
    lines.stamped.retain_mut(is_valid);
    lines.unstamped.retain_mut(is_valid);
    lines
}

/// What a file has that is not among the entries. A line without a time is known by its text alone,
/// because the lines before it may be others now.
pub fn news(entries: &[Line], file: &str) -> Vec<Line> {
    // Compared as they would be read back.
    let known = read(&write(entries));
    let texts: BTreeSet<&str> = known
        .stamped
        .iter()
        .chain(&known.unstamped)
        .map(|line| line.text.as_str())
        .collect();
    let stamped: BTreeSet<&Line> = known.stamped.iter().collect();
    let found = read(file);
    let mut news: Vec<Line> = found
        .stamped
        .into_iter()
        .filter(|line| !stamped.contains(line))
        .chain(
            found
                .unstamped
                .into_iter()
                .filter(|line| !texts.contains(line.text.as_str())),
        )
        .collect();
    news.sort();
    news.dedup();
    news
}

/// The time and the text of a line that Windlass wrote.
fn stamp(line: &str) -> Option<(Timestamp, &str)> {
    let (time, text) = line.strip_prefix('[')?.split_once("] ")?;
    let moment = Timestamp::from_stored(time.to_owned());
    let is_time = Timestamp::from_millis(moment.as_millis()) == moment
        && moment.day() != BEFORE_ALL_TIME
        && !text.trim().is_empty();
    is_time.then_some((moment, text))
}

/// Git writes these into a tracked file that two branches have added to. Both sides are kept.
fn is_conflict_marker(line: &str) -> bool {
    let marks = ["<<<<<<< ", ">>>>>>> ", "||||||| "];
    line == "=======" || marks.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64, text: &str) -> Line {
        Line {
            at: Timestamp::from_millis(1_700_000_000_000 + second * 1000),
            text: text.to_owned(),
        }
    }

    /// Takes everything in that the file has, as the state does.
    fn merged(entries: &[Line], file: &str) -> Vec<Line> {
        let mut all = entries.to_vec();
        all.extend(news(entries, file));
        all.sort();
        all
    }

    #[test]
    fn what_is_written_is_read_and_nothing_is_new() {
        let entries = [
            at(0, "one"),
            at(1, "two\nlines\n\n  indented"),
            at(2, "[not a time] three"),
            at(3, "four\r\nlines"),
        ];
        let text = write(&entries);
        assert_eq!(news(&entries, &text), []);
        assert_eq!(read(&text).stamped[..3], entries[..3]);
        assert!(read(&text).unstamped.is_empty());
    }

    #[test]
    fn lines_of_people_are_taken_in_once_and_in_order() {
        let entries = [at(0, "one"), at(9, "last")];
        let file = format!("# Ours\n- a\n  more\n\n{}by hand\nagain\n", write(&entries));
        let all = merged(&entries, &file);
        assert_eq!(all.len(), 6);
        let text = write(&all);
        assert_eq!(
            text,
            "# Ours\n- a\n  more\n[2023-11-14T22:13:20.000Z] one\n[2023-11-14T22:13:29.000Z] last\n\
             [2023-11-14T22:13:29.001Z] by hand\n[2023-11-14T22:13:29.002Z] again\n"
        );
        // Neither the written file nor the old one, which a checkout may bring back, has news.
        assert_eq!(news(&all, &text), []);
        assert_eq!(news(&all, &file), []);
        // Nor has it after other entries came in between.
        let more = merged(&all, &write(&[at(5, "from elsewhere")]));
        assert_eq!(news(&more, &file), []);
        assert_eq!(news(&more, &text), []);
    }

    #[test]
    fn both_sides_of_a_conflict_are_kept() {
        let file = format!(
            "{}<<<<<<< HEAD\n{}=======\n{}>>>>>>> other\n",
            write(&[at(0, "both")]),
            write(&[at(1, "ours")]),
            write(&[at(2, "theirs")])
        );
        let texts: Vec<String> = news(&[], &file).into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["both", "ours", "theirs"]);
    }

    #[test]
    fn what_cannot_be_an_entry_is_left_out() {
        let file = format!(
            "nul\0\n{}\nfine\n[2023-11-14] no time\n",
            "x".repeat(LONGEST + 1)
        );
        let texts: Vec<String> = news(&[], &file).into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["fine", "[2023-11-14] no time"]);
    }
}
