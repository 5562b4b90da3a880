//! The part of a text around the words that were searched for.
//!
//! FTS5 creates snippets too, but it loads and tokenizes every text again, which takes longer than
//! the search. Here the texts of a hit are already loaded. Matches that only the index knows, such
//! as `café` for `cafe`, still use FTS5.

use std::ops::Range;

use windlass_core::Entity;

use crate::unspaced::is_unspaced;

/// How many words a snippet has. Each character of a script without spaces counts as one, so that
/// there are more of them.
const LENGTH: usize = 12;
const UNSPACED_LENGTH: usize = 40;
const CUT: char = '…';
const MARK: &str = "**";

/// A searched phrase: consecutive words, the last of which may be incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) words: Vec<String>,
    pub(crate) open_ended: bool,
}

impl Phrase {
    pub(crate) fn new(text: &str, open_ended: bool) -> Self {
        let words = words(text)
            .into_iter()
            .map(|at| text[at].to_lowercase())
            .collect();
        Self { words, open_ended }
    }

    /// Whether the text at the first of these words matches the phrase.
    pub(crate) fn matches(&self, text: &str, found: &[Range<usize>]) -> bool {
        let last = self.words.len().wrapping_sub(1);
        !self.words.is_empty()
            && found.len() >= self.words.len()
            && self.words.iter().zip(found).enumerate().all(|(at, pair)| {
                let (wanted, found) = (pair.0, &text[pair.1.clone()]);
                word_matches(wanted, found, at == last && self.open_ended)
            })
    }
}

/// The best part of the entity's text, with `**` around matches; `None` if nothing matches.
pub(crate) fn snippet(entity: &Entity, phrases: &[Phrase]) -> Option<String> {
    let tags = entity.tags.join(" ");
    let content = entity.content.as_deref().unwrap_or_default();
    let properties = entity.searchable_properties();
    let mut best: Option<(usize, String)> = None;
    for text in [&entity.title, tags.as_str(), content, &properties] {
        let Some((score, piece)) = best_piece(text, phrases) else {
            continue;
        };
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, piece));
        }
        if score == phrases.len() {
            break;
        }
    }
    best.map(|(_, piece)| piece)
}

/// The first part with the most different phrases, and their number.
fn best_piece(text: &str, phrases: &[Phrase]) -> Option<(usize, String)> {
    let words = words(text);
    let length = if text.contains(is_unspaced) {
        UNSPACED_LENGTH
    } else {
        LENGTH
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in 0..words.len() {
        let here = phrases
            .iter()
            .position(|phrase| phrase.matches(text, &words[at..]));
        found.extend(here.map(|phrase| (at, phrase)));
    }
    let mut best: Option<(usize, Range<usize>)> = None;
    for (first, (start, _)) in found.iter().enumerate() {
        let within = found[first..]
            .iter()
            .take_while(|(at, _)| *at < start + length);
        let (mut seen, mut end) = (Vec::new(), *start);
        for (at, phrase) in within {
            end = at + phrases[*phrase].words.len();
            if !seen.contains(phrase) {
                seen.push(*phrase);
            }
        }
        if best.as_ref().is_none_or(|(most, _)| seen.len() > *most) {
            best = Some((seen.len(), *start..end));
        }
    }
    let (score, matched) = best?;
    let shown = around(&matched, words.len(), length);
    Some((score, write(text, &words, shown, &found, phrases)))
}

/// The words to show, with the match in the middle.
fn around(matched: &Range<usize>, words: usize, length: usize) -> Range<usize> {
    let before = length.saturating_sub(matched.len()) / 2;
    let latest = words.saturating_sub(length);
    let start = matched.start.saturating_sub(before).min(latest);
    start..(start + length).min(words)
}

fn write(
    text: &str,
    words: &[Range<usize>],
    shown: Range<usize>,
    found: &[(usize, usize)],
    phrases: &[Phrase],
) -> String {
    let mut out = String::new();
    let mut written = 0;
    if shown.start > 0 {
        out.push(CUT);
        written = words[shown.start].start;
    }
    for (at, phrase) in found {
        let last = at + phrases[*phrase].words.len() - 1;
        if !shown.contains(at) || !shown.contains(&last) || words[*at].start < written {
            continue;
        }
        out.push_str(&text[written..words[*at].start]);
        written = words[last].end;
        out.push_str(MARK);
        out.push_str(&text[words[*at].start..written]);
        out.push_str(MARK);
    }
    if shown.end < words.len() {
        out.push_str(&text[written..words[shown.end - 1].end]);
        out.push(CUT);
    } else {
        out.push_str(&text[written..]);
    }
    out.trim().to_owned()
}

/// Each character of a script without spaces is a word of its own.
pub(crate) fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices() {
        if is_unspaced(letter) {
            words.extend(start.take().map(|first| first..at));
            words.push(at..at + letter.len_utf8());
            continue;
        }
        match (letter.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                words.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|first| first..text.len()));
    words
}

/// Whether a word equals the wanted one, or begins with it. The wanted one is in lower case.
fn word_matches(wanted: &str, found: &str, open_ended: bool) -> bool {
    if found.is_ascii() {
        let head = found.as_bytes().get(..wanted.len());
        return (open_ended || found.len() == wanted.len())
            && head.is_some_and(|head| head.eq_ignore_ascii_case(wanted.as_bytes()));
    }
    let found = found.to_lowercase();
    found == wanted || (open_ended && found.starts_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, wanted: &[&str]) -> Option<String> {
        let phrases: Vec<Phrase> = wanted
            .iter()
            .map(|word| Phrase::new(word.trim_end_matches('*'), word.ends_with('*')))
            .collect();
        best_piece(text, &phrases).map(|(_, piece)| piece)
    }

    #[test]
    fn marks_the_matching_words() {
        for (text, wanted, expected) in [
            (
                "A relational store.",
                vec!["relational"],
                "A **relational** store.",
            ),
            (
                "A Relational store.",
                vec!["rel*"],
                "A **Relational** store.",
            ),
            (
                "(login-flow), login",
                vec!["login-flow"],
                "(**login-flow**), login",
            ),
            ("one two", vec!["one", "two"], "**one** **two**"),
            ("Über alles", vec!["über"], "**Über** alles"),
        ] {
            assert_eq!(piece(text, &wanted).as_deref(), Some(expected));
        }
        for (text, wanted, expected) in [
            ("関西の京都駅で", vec!["京都"], "関西の**京都**駅で"),
            ("新しいAPI設計書", vec!["API設計"], "新しい**API設計**書"),
            ("設計と実装", vec!["設計", "実"], "**設計**と**実**装"),
        ] {
            assert_eq!(piece(text, &wanted).as_deref(), Some(expected));
        }
        assert_eq!(piece("A café.", &["cafe"]), None);
        assert_eq!(piece("relation", &["relational"]), None);
        assert_eq!(piece("", &["a"]), None);
    }

    #[test]
    fn long_texts_are_cut_around_the_best_place() {
        let filler = "word ".repeat(50);
        let text = format!("red {filler}red blue {filler}end");
        let expected = "…word word word word word **red** **blue** word word word word word…";
        assert_eq!(piece(&text, &["red", "blue"]).as_deref(), Some(expected));
        let end = piece(&text, &["end"]).expect("found");
        assert!(end.starts_with('…') && end.ends_with("**end**"), "{end}");
    }
}
