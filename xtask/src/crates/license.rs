//! Licence expressions of crates: names joined by `AND`, `OR` and parentheses, as in SPDX. A slash
//! is an old form of `OR`.

/// Whether the allowed licences satisfy an expression; `None` if it cannot be parsed.
pub fn is_satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = Words {
        rest: spaced.split_whitespace().collect(),
        allowed,
    };
    words.rest.reverse();
    let result = words.any()?;
    words.rest.is_empty().then_some(result)
}

/// The remaining words, the next one last.
struct Words<'a> {
    rest: Vec<&'a str>,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl Words<'_> {
    fn take(&mut self, word: &str) -> bool {
        let is_next = self.rest.last() == Some(&word);
        if is_next {
            self.rest.pop();
        }
        is_next
    }

    /// Parts joined by `OR`, which has the lowest precedence.
    fn any(&mut self) -> Option<bool> {
        let mut result = self.all()?;
        while self.take("OR") {
            result |= self.all()?;
        }
        Some(result)
    }

    fn all(&mut self) -> Option<bool> {
        let mut result = self.one()?;
        while self.take("AND") {
            result &= self.one()?;
        }
        Some(result)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let result = self.any()?;
            return self.take(")").then_some(result);
        }
        let name = self.rest.pop()?;
        if matches!(name, "AND" | "OR" | "WITH" | ")") {
            return None;
        }
        if self.take("WITH") {
            let exception = self.rest.pop()?;
            return Some((self.allowed)(&format!("{name} WITH {exception}")));
        }
        // With `+`, the licensee may choose this version or a later one.
        Some((self.allowed)(name.trim_end_matches('+')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_parsed_like_spdx() {
        let allowed = |name: &str| ["MIT", "ISC", "MPL-2.0", "Unicode-3.0"].contains(&name);
        for (expression, expected) in [
            ("MIT", Some(true)),
            ("GPL-3.0", Some(false)),
            ("MIT OR GPL-3.0", Some(true)),
            ("GPL-3.0/MIT", Some(true)),
            ("Apache-2.0 / MIT", Some(true)),
            ("MIT AND GPL-3.0", Some(false)),
            ("MIT AND ISC", Some(true)),
            ("GPL-3.0 OR MIT AND ISC", Some(true)),
            ("(GPL-3.0 OR MIT) AND Unicode-3.0", Some(true)),
            ("(GPL-3.0 OR MIT) AND Zlib", Some(false)),
            ("MPL-2.0+", Some(true)),
            ("MIT WITH Some-exception", Some(false)),
            ("Apache-2.0 WITH LLVM-exception OR MIT", Some(true)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT ISC", None),
            ("AND MIT", None),
        ] {
            assert_eq!(is_satisfied(expression, &allowed), expected, "{expression}");
        }
    }
}
