//! The lines that `$(eval …)` makes make read: alone, in `$(foreach …)`, in `$(if …)`, or in a
//! template that `$(call …)` fills.

use super::make_functions::{arguments, is_true, with_arguments};
use super::make_variables::{UNKNOWN, Variables, Work, closing, matching};

/// How many letters may be written for the texts of one line, and of a whole makefile.
const MAX_LETTERS: usize = 1_000_000;
const MAX_ALL: usize = 8_000_000;
/// What each text counts as, however short it is.
const LEAST: usize = 200;
const MAX_TEXTS: usize = 2_000;
const MAX_DEPTH: usize = 8;

type Locals<'a> = &'a [(&'a str, &'a str)];

struct Found {
    texts: Vec<String>,
    work: Work,
}

impl Variables<'_> {
    /// The texts that a line makes make read. `UNKNOWN` stands for what is not known.
    pub fn evaluated(&self, line: &str) -> Vec<String> {
        let before = self.evaluated.get();
        let most = MAX_LETTERS.min(MAX_ALL.saturating_sub(before));
        let mut found = Found {
            texts: Vec::new(),
            work: Work {
                left: most,
                partial: true,
            },
        };
        self.evaluate(line, &[], 0, &mut found);
        // A line costs something even if it makes nothing.
        let used = (most - found.work.left).max(LEAST);
        self.evaluated.set(before + used);
        found.texts
    }

    fn evaluate(&self, text: &str, locals: Locals<'_>, depth: usize, found: &mut Found) {
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            rest = &rest[at + 1..];
            let Some(open) = rest.chars().next() else {
                return;
            };
            let inner =
                matching(open).and_then(|close| Some(&rest[1..closing(rest, open, close)?]));
            match inner {
                Some(inner) => {
                    self.reference_evaluated(inner, locals, depth, found);
                    rest = &rest[inner.len() + 2..];
                }
                None => rest = &rest[open.len_utf8()..],
            }
        }
    }

    fn reference_evaluated(
        &self,
        inner: &str,
        locals: Locals<'_>,
        depth: usize,
        found: &mut Found,
    ) {
        let Some((name, rest)) = inner.split_once([' ', '\t']) else {
            return;
        };
        if depth > MAX_DEPTH || found.texts.len() > MAX_TEXTS || found.work.left == 0 {
            return;
        }
        found.work.left -= 1;
        let depth = depth + 1;
        match name {
            "foreach" => {
                let arguments = arguments(rest);
                let [variable, list, text @ ..] = arguments.as_slice() else {
                    return;
                };
                let text = text.join(",");
                let Some(list) = self.expanded(list, locals, 0, &mut found.work) else {
                    return;
                };
                let words = list.split_whitespace();
                for word in words.filter(|word| !word.contains(UNKNOWN)) {
                    let mut inner = locals.to_vec();
                    inner.push((variable.trim(), word));
                    self.evaluate(&text, &inner, depth, found);
                }
            }
            "eval" => {
                self.evaluate(rest, locals, depth, found);
                let text = self.expanded(rest, locals, 0, &mut found.work);
                found.texts.extend(text);
                found.work.left = found.work.left.saturating_sub(LEAST);
            }
            "call" => {
                let mut values = Vec::new();
                for argument in arguments(rest) {
                    let Some(value) = self.expanded(argument, locals, 0, &mut found.work) else {
                        return;
                    };
                    values.push(value);
                }
                let name = values.first().map_or("", |it| it.trim());
                if let Some(text) = self.written(name).filter(|it| it.contains("eval")) {
                    let inner = with_arguments(locals, &values);
                    self.evaluate(text, &inner, depth, found);
                }
            }
            "if" => {
                let arguments = arguments(rest);
                let Some((condition, parts)) = arguments.split_first() else {
                    return;
                };
                let value = self.expanded(condition, locals, 0, &mut found.work);
                let truth = value.and_then(|it| is_true(&it));
                for (at, part) in parts.iter().enumerate() {
                    // Where it is not known, both parts count.
                    if truth.is_none_or(|truth| truth == (at == 0)) {
                        self.evaluate(part, locals, depth, found);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled() {
        let mut variables = Variables::default();
        variables.assign("ARCHS = arm x86");
        let text = "build-$(1): $(2)\n\techo $$@";
        variables.templates.insert("T".to_owned(), text.to_owned());
        let made = variables.evaluated("$(foreach a,$(ARCHS),$(eval $(call T,$(a),dep)))");
        assert_eq!(
            made,
            ["build-arm: dep\n\techo $@", "build-x86: dep\n\techo $@"]
        );
        assert_eq!(variables.evaluated("$(eval $(call T,one,))").len(), 1);
        let unknown = variables.evaluated("$(eval $(call U,one))");
        assert!(unknown.iter().all(|it| it.trim_matches(UNKNOWN).is_empty()));
    }

    #[test]
    fn known_words_of_a_list_count() {
        let mut variables = Variables::default();
        variables.assign("HOST := $(shell ./guess)");
        variables.assign("ALL = a $($(HOST)_more) b x$(HOST)");
        let made = variables.evaluated("$(foreach it,$(ALL),$(eval $(it)_kind = plain))");
        assert_eq!(made, ["a_kind = plain", "b_kind = plain"]);
        let made = variables.evaluated("$(if $(HOST),$(eval x:),$(eval y:))");
        assert_eq!(made, ["x:", "y:"]);
        let made = variables.evaluated("$(if $(ALL),$(eval x:),$(eval y:))");
        assert_eq!(made, ["x:"]);
    }

    #[test]
    fn it_ends() {
        let mut variables = Variables::default();
        variables.assign(&format!("L = {}", "x ".repeat(1_000)));
        let text = "$(foreach i,$(L),$(eval $(call T,$(i))))";
        variables.templates.insert("T".to_owned(), text.to_owned());
        assert!(variables.evaluated(text).len() <= 3_000);
        variables.assign("A = $(A) $(A)");
        assert_eq!(variables.expand("$(A)"), None);
        assert!(variables.evaluated("$(eval $(A)").is_empty());
    }
}
