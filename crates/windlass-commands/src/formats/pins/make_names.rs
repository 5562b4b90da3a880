//! Reads names out of the lines of a makefile.

use crate::paths;

/// The value of a line that assigns a variable.
pub fn assigned<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = line;
    for word in ["export", "override", "private", "unexport"] {
        rest = rest.strip_prefix(word).map_or(rest, str::trim_start);
    }
    let rest = rest.strip_prefix(name)?.trim_start();
    let (sign, value) = rest.split_once('=')?;
    let sign = sign.trim_end_matches([':', '?', '+', '!']);
    sign.is_empty().then_some(value)
}

/// `$(wildcard mk/*.mk)` as `mk/*.mk`.
pub fn without_wildcard(names: &str) -> String {
    let mut out = names.to_owned();
    for (open, close) in [("$(wildcard ", ')'), ("${wildcard ", '}')] {
        while let Some(start) = out.find(open) {
            let inner = &out[start + open.len()..];
            let Some(end) = inner.find(close) else { break };
            let inner = inner[..end].to_owned();
            // What is computed inside stays as it is, and is reported.
            if inner.contains('$') {
                break;
            }
            out.replace_range(start..=start + open.len() + end, &inner);
        }
    }
    out
}

/// The part of the path that `%` stands for, if the target of a rule is that makefile.
pub fn stem_of_match(target: &str, makefile: &str, cwd: &str) -> Option<String> {
    if target.contains('$') {
        return None;
    }
    let Some((before, after)) = target.split_once('%') else {
        // Most targets have another name, and need not be resolved.
        let name = paths::name_of(target);
        if !matches!(name, "" | "." | "..") && name != paths::name_of(makefile) {
            return None;
        }
        let path = paths::resolve(cwd, target)?;
        return (path == makefile).then(String::new);
    };
    let inner = match cwd {
        "" => makefile,
        _ => makefile.strip_prefix(cwd)?.strip_prefix('/')?,
    };
    let stem = inner.strip_prefix(before)?.strip_suffix(after)?;
    (!stem.is_empty()).then(|| stem.to_owned())
}
