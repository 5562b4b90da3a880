//! How often each search finds the answer, by class of question.

use std::collections::BTreeMap;
use std::fmt;

use crate::queries::CLASSES;

/// The searches, and the operations that they are.
pub const METHODS: [(&str, &str); 3] = [
    ("words", "search_fulltext"),
    ("meaning", "search_semantic"),
    ("both", "search"),
];

/// The places of the answers, from 0; none if it is not among the first ten.
#[derive(Default)]
pub struct Table(BTreeMap<(&'static str, &'static str), Vec<Option<usize>>>);

/// Recall among the first one, five and ten, and the mean of 1 / place.
type Measures = [f64; 4];

impl Table {
    pub fn add(&mut self, class: &'static str, method: &'static str, place: Option<usize>) {
        self.0.entry((class, method)).or_default().push(place);
    }

    fn places(&self, class: &str, method: &str) -> Vec<Option<usize>> {
        let classes = CLASSES.iter().filter(|it| class == "all" || **it == class);
        let places = classes.filter_map(|class| self.0.get(&(*class, method)));
        places.flatten().copied().collect()
    }

    /// Where both searches together find less than one of them alone.
    pub fn worse(&self) -> Vec<String> {
        let mut worse = Vec::new();
        for class in CLASSES {
            let both = measures(&self.places(class, "both"));
            for alone in ["words", "meaning"] {
                let alone_is = measures(&self.places(class, alone));
                for (at, name) in ["recall@1", "@5", "@10", "MRR"].iter().enumerate() {
                    if both[at] + 1e-9 < alone_is[at] {
                        let (both, alone_is) = (both[at], alone_is[at]);
                        worse.push(format!("{class}, {name}: {both:.3}, {alone} {alone_is:.3}"));
                    }
                }
            }
        }
        worse
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred questions")]
fn measures(places: &[Option<usize>]) -> Measures {
    let count = places.len().max(1) as f64;
    let found = || places.iter().flatten();
    let within = |most: usize| found().filter(|place| **place < most).count() as f64 / count;
    let ranks: f64 = found().map(|place| 1.0 / (*place as f64 + 1.0)).sum();
    [within(1), within(5), within(10), ranks / count]
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "| class | questions | search | recall@1 | @5 | @10 | MRR |"
        )?;
        writeln!(out, "|---|---|---|---|---|---|---|")?;
        for class in CLASSES.iter().copied().chain(["all"]) {
            for (method, _) in METHODS {
                let places = self.places(class, method);
                let [first, five, ten, mean] = measures(&places);
                let count = places.len();
                writeln!(
                    out,
                    "| {class} | {count} | {method} | {first:.3} | {five:.3} | {ten:.3} | {mean:.3} |"
                )?;
            }
        }
        Ok(())
    }
}
