//! Questions about the texts, by class. Each has one text that answers it.

use std::collections::BTreeMap;

use crate::texts::Text;

const PARAPHRASES: &str = include_str!("../../../data/paraphrases.tsv");
pub const CLASSES: [&str; 5] = [
    "paraphrase",
    "identifier",
    "error text",
    "exact title",
    "typo",
];

/// Constants of the search are found with one half of the questions and checked with the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Tuning,
    HeldOut,
}

impl Half {
    /// By the text that a question is about, so that no text is in both, and a text stays where it is
    /// when others come and go. The hash is FNV-1a.
    fn of(key: &str) -> Self {
        let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        if hash >> 32 & 1 == 0 {
            Self::Tuning
        } else {
            Self::HeldOut
        }
    }
}

/// What is typed, and the text that should be found.
pub struct Query {
    pub half: Half,
    pub class: &'static str,
    pub text: String,
    pub expected: String,
}

/// All questions, the same for the same texts; up to `each` of every class that is made from the texts.
/// Also how many paraphrases are about texts that are gone.
pub fn queries(texts: &[Text], each: usize) -> (Vec<Query>, usize) {
    let mut queries = Vec::new();
    let mut missing = 0;
    for line in PARAPHRASES.lines().filter(|line| !line.starts_with('#')) {
        let Some((key, question)) = line.split_once('\t') else {
            continue;
        };
        if texts.iter().any(|text| text.key == key) {
            queries.push(query("paraphrase", question.to_owned(), key));
        } else {
            missing += 1;
        }
    }
    let mut made = Made {
        queries,
        each,
        random: Random(0x0b5e_55ed),
    };
    made.add("identifier", texts, |text, _| {
        let is_name = text.name.contains('_') && text.name.len() >= 8;
        is_name.then(|| text.name.clone())
    });
    made.add("error text", texts, |text, random| {
        text.messages.first().map(|message| filled(message, random))
    });
    made.add("exact title", texts, |text, _| {
        (text.title.len() >= 20).then(|| text.title.clone())
    });
    made.add("typo", texts, misspelt);
    (made.queries, missing)
}

fn query(class: &'static str, text: String, expected: &str) -> Query {
    Query {
        half: Half::of(expected),
        class,
        text,
        expected: expected.to_owned(),
    }
}

/// Questions that are made from the texts.
struct Made {
    queries: Vec<Query>,
    each: usize,
    random: Random,
}

impl Made {
    /// Questions whose answer is not ambiguous: no other text would give the same question.
    fn add(
        &mut self,
        class: &'static str,
        texts: &[Text],
        ask: impl Fn(&Text, &mut Random) -> Option<String>,
    ) {
        let mut by_question: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for text in texts {
            if let Some(question) = ask(text, &mut self.random) {
                by_question.entry(question).or_default().push(&text.key);
            }
        }
        let mut unambiguous: Vec<(String, &str)> = by_question
            .into_iter()
            .filter_map(|(question, keys)| match keys.as_slice() {
                [key] => Some((question, *key)),
                _ => None,
            })
            .collect();
        for _ in 0..self.each.min(unambiguous.len()) {
            let at = self.random.below(unambiguous.len());
            let (question, key) = unambiguous.swap_remove(at);
            self.queries.push(query(class, question, key));
        }
    }
}

/// A message as a program prints it: with values in its places.
fn filled(message: &str, random: &mut Random) -> String {
    const VALUES: [&str; 6] = [
        "17",
        "src/main.rs",
        "deploy",
        "3000",
        "feature-x",
        "2026-11-02",
    ];
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((_, after)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        out.push_str(VALUES[random.below(VALUES.len())]);
        rest = after;
    }
    format!("error: {out}{rest}")
}

/// A few words of the title, two of them misspelt.
fn misspelt(text: &Text, random: &mut Random) -> Option<String> {
    let mut words: Vec<String> = text
        .title
        .split_whitespace()
        .filter(|word| word.len() >= 4 && word.chars().all(|it| it.is_ascii_alphabetic()))
        .take(6)
        .map(str::to_owned)
        .collect();
    let long: Vec<usize> = (0..words.len())
        .filter(|at| words[*at].len() >= 6)
        .collect();
    if words.len() < 4 || long.len() < 2 {
        return None;
    }
    for at in [long[0], long[long.len() - 1]] {
        let word = &mut words[at];
        let place = 1 + random.below(word.len() - 2);
        if random.below(2) == 0 {
            word.remove(place);
        } else {
            let letter = word.remove(place);
            word.insert(place - 1, letter);
        }
    }
    Some(words.join(" "))
}

/// The same numbers in every run.
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit.max(1) as u64).unwrap_or(0)
    }
}
