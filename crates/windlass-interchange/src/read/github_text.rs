//! What the text of an issue says about other issues.

/// How an issue refers to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    BlockedBy,
    Blocks,
    /// An item of a task list: the other issue is a part of this one.
    Child,
}

/// What begins a reference, in small letters.
const WORDS: &[(&str, Reference)] = &[
    ("blocked by", Reference::BlockedBy),
    ("depends on", Reference::BlockedBy),
    ("requires", Reference::BlockedBy),
    ("waits for", Reference::BlockedBy),
    ("blocks", Reference::Blocks),
];

/// Every issue that a text refers to in one of these ways, by its number. Code is left out.
pub fn references(body: &str) -> Vec<(Reference, u64)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in body.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        if let Some(rest) = task_list_item(line)
            && let Some((number, _)) = issue_number(rest.trim_start())
        {
            push(&mut found, (Reference::Child, number));
        }
        let small = line.to_ascii_lowercase();
        for (word, reference) in WORDS {
            let mut from = 0;
            while let Some(at) = small[from..].find(word) {
                let end = from + at + word.len();
                let starts =
                    from + at == 0 || !small.as_bytes()[from + at - 1].is_ascii_alphanumeric();
                if starts {
                    for number in numbers(&line[end..]) {
                        push(&mut found, (*reference, number));
                    }
                }
                from = end;
            }
        }
    }
    found
}

fn push(found: &mut Vec<(Reference, u64)>, one: (Reference, u64)) {
    if !found.contains(&one) {
        found.push(one);
    }
}

fn task_list_item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+'])?.trim_start();
    ["[ ]", "[x]", "[X]"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))
}

/// `#3`, `#4 and #5`: as far as only such words follow.
fn numbers(text: &str) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ':', ',', '*', '_', '&']);
        let small = rest.get(..4).map(str::to_ascii_lowercase);
        if small.is_some_and(|it| it == "and ") {
            rest = &rest[4..];
            continue;
        }
        match issue_number(rest) {
            Some((number, after)) => {
                numbers.push(number);
                rest = after;
            }
            None => return numbers,
        }
    }
}

/// The number of an issue, as `#12` or as the end of an address, and what follows it.
fn issue_number(text: &str) -> Option<(u64, &str)> {
    let rest = if let Some(rest) = text.strip_prefix('#') {
        rest
    } else if text.starts_with("http") {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let at = text[..end].find("/issues/")?;
        &text[at + "/issues/".len()..]
    } else {
        return None;
    };
    let end = rest
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(rest.len());
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reference::{BlockedBy, Blocks, Child};

    #[test]
    fn references_are_found() {
        for (body, expected) in [
            ("Blocked by #3", vec![(BlockedBy, 3)]),
            (
                "**Depends on:** #3, #4 and #5.",
                vec![(BlockedBy, 3), (BlockedBy, 4), (BlockedBy, 5)],
            ),
            (
                "- [ ] #12\n- [x] #13 done\n- [ ] nothing",
                vec![(Child, 12), (Child, 13)],
            ),
            ("- [ ] https://github.com/a/b/issues/7", vec![(Child, 7)]),
            ("this blocks #8", vec![(Blocks, 8)]),
            ("unblocks #8, see #9", vec![]),
            ("```\nblocked by #3\n```", vec![]),
            ("blocked by nothing", vec![]),
            ("ÄÖ blocked by #99999999999999999999999", vec![]),
        ] {
            assert_eq!(references(body), expected, "{body}");
        }
    }
}
