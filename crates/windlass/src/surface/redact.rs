//! Texts without secrets, for what is kept or sent: the log files and the bundle for bug reports.
//!
//! Masked is the value of every variable of the environment that is named like a secret, whatever follows
//! a key that is named like one, credentials in URLs and headers, and words that look like the tokens of
//! well-known services. It may mask too much; it must never depend on what a secret is for.

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// Parts of the names of variables and keys whose values are secrets, in lower case.
const NAMES: &[&str] = &[
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "accesskey",
    "auth",
    "bearer",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "private_key",
    "secret",
    "signature",
    "token",
];

/// How words begin that are tokens of well-known services.
const BEGINNINGS: &[&str] = &[
    "AIza",
    "AKIA",
    "ASIA",
    "eyJ",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "hf_",
    "npm_",
    "pypi-",
    "sk-",
    "sk_live_",
    "xoxb-",
    "xoxp-",
    "xapp-",
];

/// A token of a service is at least this long; `sk-learn` is none.
const SHORTEST_TOKEN: usize = 16;
/// Shorter values of variables are words that stand anywhere.
const SHORTEST_VALUE: usize = 6;

/// Whether a variable or key of this name has a secret as its value.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|part| name.contains(part))
}

/// Masks secrets in texts.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Values that are secret wherever they stand, the longest first.
    values: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Redactor of {} values", self.values.len())
    }
}

impl Redactor {
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let values = values.into_iter().map(|value| value.trim().to_owned());
        let mut values: Vec<String> = values.filter(|it| it.len() >= SHORTEST_VALUE).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self { values }
    }

    /// The text without secrets, line by line.
    pub fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let (line, end) = match line.strip_suffix('\n') {
                Some(line) => (line, "\n"),
                None => (line, ""),
            };
            out.push_str(&self.line(line));
            out.push_str(end);
        }
        out
    }

    fn line(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for value in &self.values {
            if line.contains(value.as_str()) {
                line = line.replace(value.as_str(), MASK);
            }
        }
        without_tokens(&without_named(&without_credentials(&line)))
    }
}

/// `https://user:word@host` without what is before the `@`.
fn without_credentials(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after
            .find(|letter: char| letter.is_whitespace() || "/?#\"'<>".contains(letter))
            .unwrap_or(after.len());
        let (host, more) = after.split_at(end);
        match host.rfind('@') {
            Some(sign) => {
                out.push_str(MASK);
                out.push_str(&host[sign..]);
            }
            None => out.push_str(host),
        }
        rest = more;
    }
    out.push_str(rest);
    out
}

/// Without the values of keys that are named like secrets: `token = "x"`, `"password": "x"`,
/// `Authorization: Bearer x`, `--token x`.
fn without_named(line: &str) -> String {
    let lower = line.to_ascii_lowercase();
    let mut out = String::with_capacity(line.len());
    let mut done = 0;
    while let Some(found) = next_name(&lower, done) {
        let Some((start, end)) = value_after(line, found) else {
            out.push_str(&line[done..found]);
            done = found;
            continue;
        };
        out.push_str(&line[done..start]);
        out.push_str(MASK);
        done = end;
    }
    out.push_str(&line[done..]);
    out
}

/// The end of the next word that has the name of a secret in it.
fn next_name(lower: &str, from: usize) -> Option<usize> {
    let rest = &lower[from..];
    let found = NAMES
        .iter()
        .filter_map(|name| rest.find(name).map(|at| at + name.len()));
    let end = found.min()?;
    let more = rest[end..]
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || "_-".contains(letter)))
        .unwrap_or(rest.len() - end);
    Some(from + end + more)
}

/// Where the value of the key is that ends here; none if no value follows.
fn value_after(line: &str, key_end: usize) -> Option<(usize, usize)> {
    let rest = &line[key_end..];
    let quoted_key = rest.trim_start_matches(['"', '\'', '\\', ']', ')']);
    let mut after = quoted_key.trim_start();
    match after.strip_prefix(['=', ':']) {
        Some(more) => after = more.strip_prefix('>').unwrap_or(more).trim_start(),
        // An option or a header takes its value after a blank.
        None if quoted_key.len() == rest.len() && after.len() < rest.len() => {
            let is_option = line[..key_end]
                .rsplit(char::is_whitespace)
                .next()
                .is_some_and(|word| word.starts_with("--") || word.eq_ignore_ascii_case("bearer"));
            if !is_option {
                return None;
            }
        }
        None => return None,
    }
    let value = after.trim_start_matches('\\');
    let start = line.len() - value.len();
    let length = match value.chars().next() {
        None => return None,
        Some(quote @ ('"' | '\'')) => value[1..].find(quote).map_or(value.len(), |at| at + 2),
        // A list of values, or a header with several, goes to the end of the line.
        Some('[' | '{') => value.len(),
        Some(_) if line[..key_end].to_ascii_lowercase().ends_with("cookie") => value.len(),
        Some(_) if starts_scheme(value) => value.find(['"', '\'']).unwrap_or(value.len()),
        Some(_) => value
            .find(|letter: char| letter.is_whitespace() || ",;}&\"'".contains(letter))
            .unwrap_or(value.len()),
    };
    (length > 0).then_some((start, start + length))
}

fn starts_scheme(value: &str) -> bool {
    let word = value.split_whitespace().next().unwrap_or_default();
    ["bearer", "basic", "digest", "token"]
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Without words that look like the tokens of services.
fn without_tokens(line: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-.+/=".contains(letter);
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let (before, word) = rest.split_at(start);
        out.push_str(before);
        let end = word.find(|letter| !is_part(letter)).unwrap_or(word.len());
        let (word, more) = word.split_at(end);
        out.push_str(&without_token(word));
        rest = more;
    }
    out.push_str(rest);
    out
}

/// A token may stand behind the sign of a key: `KEY=sk-…`.
fn without_token(word: &str) -> String {
    let parts = word.split_inclusive(['=', '/']).map(|part| {
        let is_token = part.len() >= SHORTEST_TOKEN
            && BEGINNINGS
                .iter()
                .any(|beginning| part.starts_with(beginning));
        if is_token { MASK } else { part }
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let redactor = Redactor::new(["hunter2hunter2".to_owned(), "abc".to_owned()]);
        assert_eq!(redactor.text(text), expected);
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        for (text, expected) in [
            ("it is hunter2hunter2!\n", "it is ***!\n"),
            ("token = \"x y\" # mine", "token = *** # mine"),
            (
                "{\"api_key\": \"x\", \"n\": 1}",
                "{\"api_key\": ***, \"n\": 1}",
            ),
            ("{\\\"password\\\": \\\"x\\\"}", "{\\\"password\\\": \\***}"),
            (
                "AWS_SECRET_ACCESS_KEY=x other=1",
                "AWS_SECRET_ACCESS_KEY=*** other=1",
            ),
            ("Authorization: Bearer abc.def ghi", "Authorization: ***"),
            ("Cookie: a=b; c=d", "Cookie: ***"),
            ("run --token x --verbose", "run --token *** --verbose"),
            (
                "https://ann:word@host/path?x=1",
                "https://***@host/path?x=1",
            ),
            ("see ghp_0123456789abcdef01 now", "see *** now"),
            ("KEY=sk-0123456789abcdef", "KEY=***"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "INFO windlass::mcp request{id=1 method=\"tools/call\"} started\n",
            "the token is missing\n",
            "sk-learn and abc\n",
            "http://127.0.0.1:3002/mcp\n",
            "",
            "\n\n",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn names_of_secrets() {
        for name in [
            "GITHUB_TOKEN",
            "DB_PASSWORD",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "HOME", "WINDLASS_LOG_LEVEL"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
