//! The functions of make that only change texts, as far as their arguments are known. A list that is
//! known in part stays so: what depends on the unknown part is unknown too.

use super::make_variables::{HERE, UNKNOWN, Variables, Work, known_words};

/// The names of the arguments in the text of a `$(call …)`.
const NUMBERS: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

type Locals<'a> = &'a [(&'a str, &'a str)];

impl Variables<'_> {
    pub(super) fn function(
        &self,
        name: &str,
        rest: &str,
        locals: Locals<'_>,
        depth: usize,
        work: &mut Work,
    ) -> Option<String> {
        let arguments = arguments(rest);
        match name {
            "foreach" => return self.for_each(&arguments, locals, depth, work),
            "if" => {
                let condition = self.expanded(arguments.first()?.trim(), locals, depth, work)?;
                let chosen = if is_true(&condition)? { 1 } else { 2 };
                let Some(text) = arguments.get(chosen) else {
                    return Some(String::new());
                };
                return self.expanded(text.trim(), locals, depth, work);
            }
            "or" | "and" => {
                let mut last = String::new();
                for argument in &arguments {
                    last = self.expanded(argument.trim(), locals, depth, work)?;
                    if is_true(&last)? == (name == "or") {
                        return Some(last);
                    }
                }
                return Some(if name == "or" { String::new() } else { last });
            }
            // Lines for make to read, which are found elsewhere, and messages.
            "eval" | "info" | "warning" => return Some(String::new()),
            _ => {}
        }
        let mut values: Vec<String> = Vec::new();
        for argument in &arguments {
            values.push(self.expanded(argument, locals, depth, work)?);
        }
        if name == "call" {
            let text = self.written(values.first()?.trim())?;
            let inner = with_arguments(locals, &values);
            return self.expanded(text, &inner, depth, work);
        }
        self.of_values(name, &values)
    }

    fn for_each(
        &self,
        arguments: &[&str],
        locals: Locals<'_>,
        depth: usize,
        work: &mut Work,
    ) -> Option<String> {
        let [variable, list, text @ ..] = arguments else {
            return None;
        };
        let text = text.join(",");
        let list = self.expanded(list, locals, depth, work)?;
        let mut all = Vec::new();
        for word in list.split_whitespace() {
            if word.contains(UNKNOWN) {
                all.push(UNKNOWN.to_string());
                continue;
            }
            let mut inner = locals.to_vec();
            inner.push((variable.trim(), word));
            all.push(self.expanded(&text, &inner, depth, work)?);
        }
        Some(all.join(" "))
    }

    fn of_values(&self, name: &str, values: &[String]) -> Option<String> {
        let value = |at: usize| values.get(at).map_or("", String::as_str);
        let (list, others) = values.split_last()?;
        if others.iter().any(|it| it.contains(UNKNOWN)) {
            return None;
        }
        let words = || list.split_whitespace();
        let is_known = || !list.contains(UNKNOWN);
        Some(match name {
            "addprefix" => over_words(list, |word| format!("{}{word}", value(0))),
            "addsuffix" => over_words(list, |word| format!("{word}{}", value(0))),
            "patsubst" => over_words(list, |word| {
                patsubst(value(0).trim(), value(1).trim(), word)
            }),
            "subst" if !value(0).is_empty() => list.replace(value(0), value(1)),
            "filter" | "filter-out" => {
                let patterns: Vec<&str> = value(0).split_whitespace().collect();
                let keep = |word: &&str| {
                    word.contains(UNKNOWN)
                        || patterns.iter().any(|it| stem(it, word).is_some()) == (name == "filter")
                };
                words().filter(keep).collect::<Vec<_>>().join(" ")
            }
            "findstring" if list.contains(value(0)) => value(0).to_owned(),
            "findstring" if is_known() => String::new(),
            "wildcard" if is_known() => {
                let files = self.files.as_ref()?;
                let mut all = Vec::new();
                for pattern in words() {
                    all.extend(files.wildcard(pattern)?);
                }
                all.join(" ")
            }
            // A line of shell may have commas.
            "shell" if is_known() => self.files.as_ref()?.shell(&values.join(","))?,
            "dir" => over_words(list, |word| match word.rsplit_once('/') {
                Some((folder, _)) => format!("{folder}/"),
                None => "./".to_owned(),
            }),
            // Paths stay relative to the folder in which make is started.
            "abspath" | "realpath" => over_words(list, normal),
            "strip" => over_words(list, str::to_owned),
            "sort" => {
                let mut words: Vec<&str> = words().collect();
                words.sort_unstable();
                words.dedup();
                words.join(" ")
            }
            "firstword" => word_at(list, 0)?,
            "word" => word_at(list, value(0).trim().parse::<usize>().ok()?.checked_sub(1)?)?,
            "words" if is_known() => words().count().to_string(),
            "wordlist" if is_known() => {
                let from = value(0).trim().parse::<usize>().ok()?.checked_sub(1)?;
                let to = value(1).trim().parse::<usize>().ok()?;
                let some = words().take(to).skip(from);
                some.collect::<Vec<_>>().join(" ")
            }
            "lastword" => match words().next_back().unwrap_or_default() {
                word if word.contains(UNKNOWN) => return None,
                word => word.to_owned(),
            },
            "join" if is_known() => joined(value(0), list),
            // The name of the folder that a repository is in is not in its files.
            "notdir" if known_words(list).into_iter().any(is_unnamed) => return None,
            "notdir" => over_words(list, |word| {
                word.rsplit('/').next().unwrap_or_default().to_owned()
            }),
            "basename" => over_words(list, |word| match word.rsplit_once('.') {
                Some((stem, _)) => stem.to_owned(),
                None => word.to_owned(),
            }),
            "suffix" => over_words(list, |word| match word.rsplit_once('.') {
                Some((_, end)) if !end.contains('/') => format!(".{end}"),
                _ => String::new(),
            }),
            _ => return None,
        })
    }
}

/// The arguments of a call, by their numbers, before what is known around it.
pub fn with_arguments<'a>(locals: Locals<'a>, values: &'a [String]) -> Vec<(&'a str, &'a str)> {
    let mut inner = locals.to_vec();
    // Arguments that are not given are empty, also where the text around has some.
    for (at, number) in NUMBERS.iter().enumerate() {
        inner.push((number, values.get(at).map_or("", String::as_str)));
    }
    inner
}

/// Whether a condition counts as true; `None` if that is not known.
pub fn is_true(value: &str) -> Option<bool> {
    match value.trim() {
        "" => Some(false),
        value if value.chars().all(|it| it == UNKNOWN || it.is_whitespace()) => None,
        _ => Some(true),
    }
}

/// A word by its place; `None` if something before it is not known.
fn word_at(list: &str, at: usize) -> Option<String> {
    let words = list.split_whitespace().take(at + 1);
    let words: Vec<&str> = words.collect();
    if words.iter().any(|word| word.contains(UNKNOWN)) {
        return None;
    }
    Some((*words.get(at).unwrap_or(&"")).to_owned())
}

fn joined(one: &str, other: &str) -> String {
    let (mut one, mut other) = (one.split_whitespace(), other.split_whitespace());
    let mut all = Vec::new();
    loop {
        match (one.next(), other.next()) {
            (None, None) => return all.join(" "),
            (left, right) => all.push(left.unwrap_or("").to_owned() + right.unwrap_or("")),
        }
    }
}

/// Whether the last part of a path has no name.
fn is_unnamed(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next();
    matches!(last, Some("" | "." | ".."))
}

/// A relative path without `.`, and without `..` after a name; without a slash at its end.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    match parts.join("/").as_str() {
        "" if start.is_empty() => HERE.to_owned(),
        path => format!("{start}{path}"),
    }
}

/// The parts between commas that are in no parentheses.
pub fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// The words with a change to each. One that is known in part is unknown afterwards.
pub fn over_words(list: &str, change: impl Fn(&str) -> String) -> String {
    let words = list.split_whitespace().map(|word| {
        if word.contains(UNKNOWN) {
            UNKNOWN.to_string()
        } else {
            change(word)
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What `%` stands for where the word fits the pattern.
fn stem<'a>(pattern: &str, word: &'a str) -> Option<&'a str> {
    match pattern.split_once('%') {
        Some((before, after)) => word.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == word).then_some(""),
    }
}

pub fn patsubst(from: &str, to: &str, word: &str) -> String {
    stem(from, word).map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
}
