//! Parses the rules of `deny.toml`. Only the part of TOML that this file uses is supported: a key
//! is at the start of its line, and only quoted strings count.

/// The rules of the check.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub licenses: Vec<String>,
    /// Crates, and their additional allowed licences.
    pub exceptions: Vec<(String, Vec<String>)>,
    /// Advisories that are accepted, and why.
    pub accepted: Vec<(String, String)>,
}

impl Rules {
    pub fn parse(text: &str) -> Self {
        let mut rules = Self::default();
        let (mut table, mut key) = ("", "");
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') && line.ends_with(']') {
                (table, key) = (line, "");
                continue;
            }
            if let Some((name, _)) = line.split_once(" = ")
                && name.chars().all(|letter| letter.is_ascii_lowercase())
            {
                key = name;
            }
            rules.add(table, key, quoted(line));
        }
        rules
    }

    fn add(&mut self, table: &str, key: &str, mut texts: Vec<String>) {
        match (table, key) {
            ("[licenses]", "allow") => self.licenses.append(&mut texts),
            ("[[licenses.exceptions]]", "crate") => {
                let names = texts.into_iter().map(|name| (name, Vec::new()));
                self.exceptions.extend(names);
            }
            ("[[licenses.exceptions]]", "allow") => {
                if let Some((_, licenses)) = self.exceptions.last_mut() {
                    licenses.append(&mut texts);
                }
            }
            ("[advisories]", "ignore") => {
                let mut texts = texts.into_iter();
                if let Some(id) = texts.next() {
                    self.accepted.push((id, texts.next().unwrap_or_default()));
                }
            }
            _ => {}
        }
    }

    pub fn allows(&self, license: &str, name: &str) -> bool {
        let special = self.exceptions.iter().filter(|(known, _)| known == name);
        let special = special.flat_map(|(_, licenses)| licenses);
        self.licenses
            .iter()
            .chain(special)
            .any(|known| known == license)
    }
}

/// The quoted strings on a line, up to a comment.
fn quoted(line: &str) -> Vec<String> {
    let mut texts = Vec::new();
    // Every second part is inside quotes.
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            texts.push(part.to_owned());
        } else if part.contains('#') {
            break;
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_parsed() {
        let rules = Rules::parse(
            "# \"a comment\"\n\
             [advisories]\n\
             yanked = \"deny\"\n\
             ignore = [\n\
             \x20 { id = \"RUSTSEC-1\", reason = \"im: old # still\" }, # \"why\"\n\
             \x20 \"RUSTSEC-2\",\n\
             ]\n\
             [licenses]\n\
             confidence-threshold = 0.9\n\
             allow = [\n\
             \x20 \"MIT\",\n\
             \x20 # \"GPL-3.0\",\n\
             \x20 \"ISC\", # \"no\"\n\
             ]\n\
             [[licenses.exceptions]]\n\
             crate = \"certs\"\n\
             allow = [\"CDLA\"]\n\
             [licenses.private]\n\
             ignore = true\n",
        );
        assert_eq!(rules.licenses, ["MIT", "ISC"]);
        assert_eq!(
            rules.accepted,
            [
                ("RUSTSEC-1".to_owned(), "im: old # still".to_owned()),
                ("RUSTSEC-2".to_owned(), String::new()),
            ]
        );
        assert!(rules.allows("CDLA", "certs"));
        assert!(!rules.allows("CDLA", "other"));
        assert!(rules.allows("ISC", "certs"));
        assert!(!rules.allows("GPL-3.0", "certs"));
    }
}
