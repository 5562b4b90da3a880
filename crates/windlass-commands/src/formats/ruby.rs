//! The little of Ruby that names tasks: literals, lists of words, and texts with variables in them.
//! Nothing is evaluated; what is not a literal has no value.

use std::collections::HashMap;

/// The values of variables that are known where a line is read: several for a loop that has not been
/// unrolled is not possible, so each has one.
pub type Values = HashMap<String, String>;
/// Lists of literals by the name of the constant or variable that holds them.
pub type Lists = HashMap<String, Vec<String>>;

/// The first quoted text, with its `#{…}` replaced. `None` if it is not a text, or if something in
/// it is not known.
pub fn text(source: &str, values: &Values) -> Option<String> {
    let quote = source
        .chars()
        .next()
        .filter(|it| ['"', '\''].contains(it))?;
    let inner = &source[1..];
    let mut end = None;
    let mut escaped = false;
    for (at, letter) in inner.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == quote => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let inner = &inner[..end?];
    if quote == '\'' {
        return Some(inner.replace("\\'", "'"));
    }
    filled(inner, values).map(|it| it.replace("\\\"", "\""))
}

/// The text with `#{name}` replaced by values.
pub fn filled(text: &str, values: &Values) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("#{") {
        out.push_str(&rest[..at]);
        let (name, after) = rest[at + 2..].split_once('}')?;
        let name = name.trim();
        let name = ["to_s", "to_sym"]
            .iter()
            .find_map(|call| name.strip_suffix(call)?.strip_suffix('.'))
            .unwrap_or(name);
        out.push_str(values.get(name)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// The name at the beginning of the arguments of `task` and its kin: `:name`, `"name"`, `name: …`,
/// `:name => …`, or a variable.
pub fn name(source: &str, values: &Values) -> Option<String> {
    let source = source.trim_start();
    if source.starts_with(['"', '\'']) {
        return text(source, values);
    }
    if let Some(quoted) = source.strip_prefix(":\"") {
        return text(&format!("\"{quoted}"), values);
    }
    if let Some(quoted) = source.strip_prefix(":'") {
        return text(&format!("'{quoted}"), values);
    }
    let is_symbol = source.starts_with(':');
    let word = word(source.trim_start_matches(':'));
    let after = &source[usize::from(is_symbol) + word.len()..];
    if word.is_empty() {
        None
    } else if is_symbol || (after.starts_with(':') && !after.starts_with("::")) {
        Some(word.to_owned())
    } else {
        let after = after.trim_start();
        // A variable alone, not a call of something on it.
        let ends = after.is_empty() || after.starts_with([',', ')', '=', 'd', '{']);
        values.get(word).filter(|_| ends).cloned()
    }
}

/// The identifier at the beginning.
pub fn word(source: &str) -> &str {
    let is_part = |letter: char| letter.is_alphanumeric() || "_?!-".contains(letter);
    let end = source.find(|letter| !is_part(letter));
    &source[..end.unwrap_or(source.len())]
}

/// The literals of `%w(a b)`, `%i[a b]`, `["a", :b]`, a constant, or a sum of such.
pub fn list(source: &str, lists: &Lists) -> Option<Vec<String>> {
    let source = source.trim();
    let mut all = Vec::new();
    let mut rest = source;
    loop {
        let (mut items, after) = one_list(rest, lists)?;
        all.append(&mut items);
        let mut after = after.trim_start();
        while let Some(rest) = [".freeze", ".keys"]
            .iter()
            .find_map(|call| after.strip_prefix(call))
        {
            after = rest.trim_start();
        }
        match after.strip_prefix('+') {
            Some(next) => rest = next,
            None => return (after.is_empty() || after.starts_with(')')).then_some(all),
        }
    }
}

/// A list at the beginning, and what follows it.
fn one_list<'a>(source: &'a str, lists: &Lists) -> Option<(Vec<String>, &'a str)> {
    let source = source.trim_start().trim_start_matches('(').trim_start();
    if let Some(rest) = source
        .strip_prefix("%w")
        .or_else(|| source.strip_prefix("%i"))
        .or_else(|| source.strip_prefix("%W"))
    {
        let open = rest.chars().next()?;
        let close = closing(open);
        let end = rest[open.len_utf8()..].find(close)? + open.len_utf8();
        let words = rest[open.len_utf8()..end].split_whitespace();
        let words: Vec<String> = words.map(str::to_owned).collect();
        let known = words.iter().all(|word| !word.contains("#{"));
        return known.then_some((words, &rest[end + close.len_utf8()..]));
    }
    if let Some(inner) = source.strip_prefix('[') {
        let end = inner.find(']')?;
        let items = inner[..end].split(',').map(str::trim);
        let items: Option<Vec<String>> =
            items.filter(|item| !item.is_empty()).map(literal).collect();
        return Some((items?, &inner[end + 1..]));
    }
    if let Some(inner) = source.strip_prefix('{') {
        let (pairs, end) = arguments(inner);
        let keys: Option<Vec<String>> = pairs.into_iter().map(key).collect();
        return Some((keys?, &inner[end? + 1..]));
    }
    let name = word(source);
    Some((lists.get(name)?.clone(), &source[name.len()..]))
}

/// The parts between the commas of a list, and where the bracket is that ends it. Brackets and quotes
/// inside belong to their part.
pub fn arguments(source: &str) -> (Vec<&str>, Option<usize>) {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote = None;
    let mut end = None;
    for (at, letter) in source.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
            (None, ')' | ']' | '}') => {
                end = Some(at);
                break;
            }
            (None, ',') if depth == 0 => {
                parts.push(&source[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&source[start..end.unwrap_or(source.len())]);
    parts.retain(|part| !part.trim().is_empty());
    (parts, end)
}

/// The key of `'a' => x`, `a: x` and `"a": x`.
fn key(pair: &str) -> Option<String> {
    let pair = pair.trim();
    if let Some((key, _)) = pair.split_once("=>") {
        return literal(key.trim());
    }
    if let Some(key) = text(pair, &Values::new()) {
        return pair[key.len() + 2..].starts_with(':').then_some(key);
    }
    let key = word(pair);
    let named = !key.is_empty() && pair[key.len()..].starts_with(": ");
    named.then(|| key.to_owned())
}

pub fn literal(item: &str) -> Option<String> {
    if let Some(symbol) = item.strip_prefix(':') {
        let symbol = symbol.trim_matches('"');
        return (!symbol.is_empty() && word(symbol) == symbol).then(|| symbol.to_owned());
    }
    let item = item.trim();
    let all = text(item, &Values::new())?;
    (item.len() == all.len() + 2).then_some(all)
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        same => same,
    }
}

/// The names between the bars of a block: `|a, b|`.
pub fn block_names(line: &str) -> Vec<String> {
    let Some((_, rest)) = line.split_once('|') else {
        return Vec::new();
    };
    let inner = rest.split('|').next().unwrap_or_default();
    let names = inner.split(',').map(str::trim);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_literals() {
        let mut lists = Lists::new();
        lists.insert("ALL".to_owned(), vec!["x".to_owned()]);
        for (source, expected) in [
            ("%w(a b)", Some("a b")),
            ("%w[ a  b ].freeze", Some("a b")),
            ("%i{a b}", Some("a b")),
            ("[:a, 'b', \"c\"]", Some("a b c")),
            ("ALL", Some("x")),
            ("(ALL + ['y'])", Some("x y")),
            ("%w(a #{b})", None),
            ("[a, b]", None),
            ("Dir['*']", None),
            ("%w(a", None),
            ("{ 'a' => '.', :b => [1, 2] }.freeze", Some("a b")),
            ("{ a: 'x, y', \"b-c\": {d: 1} }", Some("a b-c")),
            ("{ a => 1 }", None),
            ("{ 'a' => 1", None),
            ("ALL.keys", Some("x")),
            ("ALL.values", None),
        ] {
            let found = list(source, &lists).map(|it| it.join(" "));
            assert_eq!(found.as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn names_of_tasks() {
        let values = Values::from([("x".to_owned(), "one".to_owned())]);
        for (source, expected) in [
            (":a => :b", Some("a")),
            ("a: [:b]", Some("a")),
            ("'a b'", Some("a b")),
            ("\"test:#{x}\" do", Some("test:one")),
            (":\"test_#{x}\"", Some("test_one")),
            ("x => 'y'", Some("one")),
            ("x do", Some("one")),
            ("\"#{y}\"", None),
            ("y", None),
            ("x.name", None),
            ("", None),
        ] {
            assert_eq!(name(source, &values).as_deref(), expected, "{source}");
        }
    }
}
