//! Which branches of the conditions of a makefile are taken, as far as their values are literal.

use super::make_variables::Variables;

/// The conditions that are open at a line.
#[derive(Default)]
pub struct Branches(Vec<Branch>);

struct Branch {
    /// Whether this part is taken; `None` if only make knows.
    taken: Option<bool>,
    /// Whether an earlier part was.
    before: Option<bool>,
    /// Whether what decided can be relied on.
    is_sure: bool,
}

impl Branches {
    /// Whether lines here may count.
    pub fn may_be_taken(&self) -> bool {
        self.0.iter().all(|branch| branch.taken != Some(false))
    }

    /// Whether lines here do not count, and nothing that is not known can change that.
    pub fn is_left_out(&self) -> bool {
        let left_out = |branch: &Branch| branch.taken == Some(false) && branch.is_sure;
        self.0.iter().any(left_out)
    }

    /// Whether lines here surely count.
    pub fn is_taken(&self) -> bool {
        let taken = |branch: &Branch| branch.taken == Some(true) && branch.is_sure;
        self.0.iter().all(taken)
    }

    pub fn follow(&mut self, line: &str, variables: &Variables<'_>) {
        let (word, rest) = line.split_once([' ', '\t', '(']).unwrap_or((line, ""));
        match word {
            "endif" => drop(self.0.pop()),
            "else" => {
                let condition = rest.trim();
                let (own, is_sure) = match condition {
                    "" => (Some(true), true),
                    condition => variables.surely(|| value(condition, variables)),
                };
                if let Some(branch) = self.0.last_mut() {
                    branch.is_sure &= is_sure;
                    // What was taken before leaves nothing for the rest.
                    branch.before = match (branch.before, branch.taken) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (Some(false), Some(false)) => Some(false),
                        _ => None,
                    };
                    branch.taken = match branch.before {
                        Some(true) => Some(false),
                        Some(false) => own,
                        None => own.filter(|own| !own),
                    };
                }
            }
            _ => {
                let (taken, is_sure) = variables.surely(|| value(line, variables));
                self.0.push(Branch {
                    taken,
                    before: Some(false),
                    is_sure,
                });
            }
        }
    }
}

/// The value of a condition, if it is known.
fn value(condition: &str, variables: &Variables<'_>) -> Option<bool> {
    let end = condition.find([' ', '\t', '(', '"', '\''])?;
    let (word, rest) = (&condition[..end], condition[end..].trim());
    let defined = || variables.is_defined(rest.split_whitespace().next().unwrap_or_default());
    let equal = || {
        let (one, other) = sides(rest)?;
        let (one, other) = (variables.expand(one)?, variables.expand(other)?);
        Some(one.trim() == other.trim())
    };
    match word {
        "ifdef" => Some(defined()),
        "ifndef" => Some(!defined()),
        "ifeq" => equal(),
        "ifneq" => equal().map(|equal| !equal),
        _ => None,
    }
}

/// The sides of `(a,b)` or `"a" "b"`.
fn sides(text: &str) -> Option<(&str, &str)> {
    if let Some(inner) = text.strip_prefix('(') {
        let inner = inner.trim_end().strip_suffix(')')?;
        let mut depth = 0_usize;
        let comma = inner.find(|letter: char| {
            match letter {
                '(' | '{' => depth += 1,
                ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            letter == ',' && depth == 0
        })?;
        return Some((&inner[..comma], &inner[comma + 1..]));
    }
    let quote = text.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let (one, rest) = text[1..].split_once(quote)?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let (other, _) = rest[1..].split_once(quote)?;
    Some((one, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that may count, of `a`, `b` and so on.
    fn kept(lines: &[&str]) -> String {
        let mut variables = Variables::default();
        variables.assign("KNOWN = yes");
        variables.assign("SHELLED := $(shell x)");
        let mut branches = Branches::default();
        let mut kept = String::new();
        for line in lines {
            if line.len() == 1 {
                kept.push_str(if branches.may_be_taken() { line } else { "" });
            } else {
                branches.follow(line, &variables);
            }
        }
        kept
    }

    #[test]
    fn known_conditions_choose() {
        assert_eq!(
            kept(&["ifeq ($(OS),Windows_NT)", "a", "else", "b", "endif", "c"]),
            "bc"
        );
        assert_eq!(kept(&["ifdef KNOWN", "a", "else", "b", "endif"]), "a");
        assert_eq!(
            kept(&[
                "ifneq \"$(KNOWN)\" \"yes\"",
                "a",
                "else ifeq ($(KNOWN),yes)",
                "b",
                "else",
                "c",
                "endif"
            ]),
            "b"
        );
        assert_eq!(
            kept(&["ifeq ($(SHELLED),x)", "a", "else", "b", "endif"]),
            "ab"
        );
        assert_eq!(
            kept(&["ifndef X", "ifeq ($(KNOWN),no)", "a", "endif", "b", "endif"]),
            "b"
        );
        assert_eq!(kept(&["endif", "else", "a"]), "a");
    }
}
