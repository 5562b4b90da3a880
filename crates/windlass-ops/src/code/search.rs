//! Finds the methods that match some words.

use super::intents::INTENTS;
use super::sdk::SdkMethod;

/// The weight of a word, by where it is found.
const WHOLE_NAME: u32 = 12;
const PART_OF_NAME: u32 = 6;
const NAMESPACE: u32 = 5;
const FIELD: u32 = 2;
const DESCRIPTION: u32 = 2;
/// Every word of a phrase that means the method, and all of them.
const PHRASE_WORD: u32 = 3;
const WHOLE_PHRASE: u32 = 14;
/// Several matching words weigh more than one word in a good place.
const TOGETHER: u32 = 3;

/// Words that are ignored in a query.
const SMALL: &[&str] = &[
    "a", "all", "an", "and", "am", "are", "be", "by", "can", "could", "did", "do", "does", "for",
    "from", "have", "how", "i", "in", "is", "it", "me", "my", "now", "of", "on", "or", "please",
    "should", "that", "the", "there", "this", "to", "up", "want", "was", "we", "were", "what",
    "which", "who", "why", "with", "you",
];

/// The methods that match the words, best first.
pub fn search(query: &str, methods: &'static [SdkMethod]) -> Vec<&'static SdkMethod> {
    let words = words_of(query);
    // Whoever searches knows how to search.
    let mut found: Vec<(u32, &SdkMethod)> = methods
        .iter()
        .filter(|method| method.method.namespace != "code")
        .map(|method| (score(&words, method), method))
        .filter(|(score, _)| *score > 0)
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, method)| method).collect()
}

fn score(words: &[String], method: &SdkMethod) -> u32 {
    let name = stem(&method.method.name);
    let shown = stem(&method.shown().replace('.', ""));
    let namespace = stem(&method.method.namespace);
    let parts: Vec<String> = method.method.name.split('_').map(stem).collect();
    let tool = stem(method.entry.declaration.name);
    let description = method.entry.description().to_lowercase();
    let fields = &method.entry.fields().known;
    let mut total = 0;
    let mut found = 0;
    for word in words {
        let before = total;
        if *word == name || *word == tool || *word == shown || *word == parts.concat() {
            total += WHOLE_NAME;
        } else if parts.contains(word) {
            total += PART_OF_NAME;
        }
        if *word == namespace {
            total += NAMESPACE;
        }
        if fields.iter().any(|field| stem(field) == *word) {
            total += FIELD;
        }
        let is_described = description
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|known| stem(known) == *word);
        if is_described {
            total += DESCRIPTION;
        }
        found += u32::from(total > before);
    }
    total + TOGETHER * found * found + phrases(words, &method.method.full_name())
}

/// The best of the phrases that mean this method.
fn phrases(words: &[String], method: &str) -> u32 {
    let phrases = INTENTS.iter().filter(|(known, _)| *known == method);
    let weight = |phrase: &&str| -> u32 {
        let of_phrase = words_of(phrase);
        let found = of_phrase.iter().filter(|word| words.contains(word)).count();
        let whole = if found == of_phrase.len() {
            WHOLE_PHRASE
        } else {
            0
        };
        whole + PHRASE_WORD * u32::try_from(found * found).unwrap_or(u32::MAX)
    };
    phrases
        .flat_map(|(_, phrases)| phrases.iter())
        .map(weight)
        .max()
        .unwrap_or(0)
}

/// The words of a text that count.
fn words_of(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty() && !SMALL.contains(&word.to_lowercase().as_str()))
        .map(stem)
        .collect()
}

/// A word in lower case, singular and without the ending of a verb.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let singular = match word.strip_suffix("ies") {
        Some(start) => format!("{start}y"),
        None => word.strip_suffix('s').unwrap_or(&word).to_owned(),
    };
    for ending in ["ing", "ed"] {
        if let Some(start) = singular.strip_suffix(ending)
            && start.len() >= 4
        {
            return start.to_owned();
        }
    }
    match singular.strip_suffix('e') {
        Some(start) if start.len() >= 4 => start.to_owned(),
        _ => singular,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(query: &str) -> String {
        let found = search(query, super::super::sdk::methods());
        found
            .first()
            .map(|method| method.shown())
            .unwrap_or_default()
    }

    #[test]
    fn the_best_comes_first() {
        assert_eq!(first("entities.create"), "entities.create");
        assert_eq!(first("entity_create"), "entities.create");
        assert_eq!(first("create an entity"), "entities.create");
        assert_eq!(first("start a command"), "commands.start");
        assert_eq!(first("shortest path between two entities"), "graph.path");
        assert_eq!(first("history of changes"), "events.list");
        assert_eq!(first("quux"), "");
    }

    /// What a model asks for, and the method that does it.
    const ASKED: &[(&str, &str)] = &[
        ("run the tests", "commands.start"),
        ("build the project", "commands.start"),
        ("start the dev server", "commands.start"),
        ("which commands may I run", "commands.list"),
        ("see the output of a command", "jobs.output"),
        ("kill the running server", "jobs.stop"),
        ("wait until the job has finished", "jobs.wait"),
        ("begin work", "focus.begin"),
        ("what should I work on", "focus.begin"),
        ("finish the task", "focus.done"),
        ("hand in my work", "focus.done"),
        ("I am done", "focus.done"),
        ("submit for review", "tasks.submit"),
        ("who blocks this", "tasks.blocked"),
        ("why is the task blocked", "tasks.blocked"),
        ("record a decision", "entities.create"),
        ("write a note", "entities.create"),
        ("replace a decision", "decisions.supersede"),
        ("what should I do next", "tasks.nextReady"),
        ("which tasks are open", "tasks.ready"),
        ("create a task", "tasks.create"),
        ("add a subtask", "tasks.create"),
        ("ask a human a question", "help.request"),
        ("I need help", "help.request"),
        ("record a lesson learned", "learnings.add"),
        ("why did the gate fail", "gates.results"),
        ("which checks must pass", "gates.getEffective"),
        ("check whether the gates would pass", "gates.try"),
        ("read the review feedback", "reviews.listComments"),
        ("what did the reviewer say", "reviews.listComments"),
        ("show me the diff", "reviews.show"),
        ("what happened recently", "events.list"),
        ("find a decision about databases", "search.fulltext"),
        ("what is related to this", "graph.relations"),
        ("link two entities", "relations.create"),
        ("change many things at once", "entities.batch"),
        ("how far is the project", "plan.getProjectProgress"),
        ("rename a task", "tasks.update"),
        ("postpone the due date", "tasks.reschedule"),
        ("run a playbook", "playbooks.run"),
        ("approve the work", "reviews.approve"),
        ("mark the task as complete", "tasks.complete"),
        ("take a task", "tasks.claim"),
    ];

    #[test]
    fn what_is_meant_is_among_the_first_three() {
        let mut missed = Vec::new();
        for (query, expected) in ASKED {
            let found = search(query, super::super::sdk::methods());
            let first: Vec<_> = found.iter().take(3).map(|method| method.shown()).collect();
            if !first.iter().any(|name| name == expected) {
                missed.push(format!("{query}: {expected}, not {first:?}"));
            }
        }
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn every_intent_means_a_method() {
        for (method, phrases) in INTENTS {
            let methods = super::super::sdk::methods().iter();
            let exists = methods.map(|known| known.method.full_name());
            assert!(exists.into_iter().any(|name| name == *method), "{method}");
            assert!(
                phrases.iter().all(|phrase| !words_of(phrase).is_empty()),
                "{method}"
            );
        }
    }
}
