//! The environment variables that any caller may set: none of them names a program, a file or an
//! option to any tool that this list was checked against, and each takes only values of its shape.

/// What the value of a variable looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A whole number.
    Number,
    /// One word: a switch, the name of a mode or of a level.
    Word,
    /// A locale, or several, as in `de_DE.UTF-8` or `de:en`.
    Locale,
    /// A time zone by its name or offset. A path would be read as a file.
    Zone,
    /// A host name or an address.
    Address,
    /// Which parts of a program log, as in `info,app::http=debug` or `app:*,-app:db`.
    Filter,
}

/// No value that fits a shape needs more.
const LONGEST: usize = 256;

impl Shape {
    /// What the value may contain besides letters and digits.
    const fn punctuation(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Word => "._-",
            Self::Locale => "._-@:",
            Self::Zone => "/_+-",
            Self::Address => ".:-",
            Self::Filter => "._-:*,=/[]",
        }
    }

    /// What a value must be, for a message.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Word => "one word of letters, digits and ._-",
            Self::Locale => "the name of a locale",
            Self::Zone => "the name of a time zone",
            Self::Address => "a host name or an address",
            Self::Filter => "a filter of letters, digits and ._-:*,=/[]",
        }
    }

    /// Whether the value has the shape. An empty value switches a variable off.
    pub fn fits(self, value: &str) -> bool {
        let known = |letter: char| {
            letter.is_ascii_digit()
                || (self != Self::Number && letter.is_ascii_alphabetic())
                || self.punctuation().contains(letter)
        };
        let begins = |signs: &[char]| value.starts_with(signs);
        let beginning = match self {
            Self::Filter => !begins(&['/']),
            _ => !begins(&['-', '.', '/']),
        };
        value.len() <= LONGEST && beginning && !value.contains("..") && value.chars().all(known)
    }
}

/// The variables. A name is here only if a value of its shape cannot choose a program, a module, a
/// file or an option.
const LISTED: &[(&str, Shape)] = &[
    // How much is shown, and how.
    ("CI", Shape::Word),
    ("VERBOSE", Shape::Word),
    ("QUIET", Shape::Word),
    ("DEBUG", Shape::Filter),
    ("LOG_LEVEL", Shape::Word),
    ("LOGLEVEL", Shape::Word),
    ("NO_COLOR", Shape::Word),
    ("FORCE_COLOR", Shape::Word),
    ("CLICOLOR", Shape::Word),
    ("CLICOLOR_FORCE", Shape::Word),
    ("COLORTERM", Shape::Word),
    ("TERM", Shape::Word),
    ("COLUMNS", Shape::Number),
    ("LINES", Shape::Number),
    ("RUST_LOG", Shape::Filter),
    ("RUST_LOG_STYLE", Shape::Word),
    ("RUST_BACKTRACE", Shape::Word),
    ("RUST_LIB_BACKTRACE", Shape::Word),
    ("CARGO_TERM_COLOR", Shape::Word),
    ("CARGO_TERM_VERBOSE", Shape::Word),
    ("CARGO_TERM_QUIET", Shape::Word),
    ("GIT_TERMINAL_PROMPT", Shape::Word),
    ("GIT_OPTIONAL_LOCKS", Shape::Word),
    ("PYTHONUNBUFFERED", Shape::Word),
    ("PYTHONFAULTHANDLER", Shape::Word),
    ("PYTHONIOENCODING", Shape::Word),
    ("PYTHONUTF8", Shape::Word),
    ("GOTRACEBACK", Shape::Word),
    // In which language and at what time.
    ("LANG", Shape::Locale),
    ("LANGUAGE", Shape::Locale),
    ("LC_ALL", Shape::Locale),
    ("LC_COLLATE", Shape::Locale),
    ("LC_CTYPE", Shape::Locale),
    ("LC_MESSAGES", Shape::Locale),
    ("LC_MONETARY", Shape::Locale),
    ("LC_NUMERIC", Shape::Locale),
    ("LC_TIME", Shape::Locale),
    ("TZ", Shape::Zone),
    ("SOURCE_DATE_EPOCH", Shape::Number),
    // In which mode, and where a server listens.
    ("NODE_ENV", Shape::Word),
    ("RAILS_ENV", Shape::Word),
    ("RACK_ENV", Shape::Word),
    ("MIX_ENV", Shape::Word),
    ("APP_ENV", Shape::Word),
    ("PORT", Shape::Number),
    ("HOST", Shape::Address),
    // How much work is done at once, and in which order.
    ("CARGO_BUILD_JOBS", Shape::Number),
    ("CARGO_INCREMENTAL", Shape::Word),
    ("CARGO_NET_OFFLINE", Shape::Word),
    ("RUST_MIN_STACK", Shape::Number),
    ("RUST_TEST_THREADS", Shape::Number),
    ("RUST_TEST_NOCAPTURE", Shape::Word),
    ("RAYON_NUM_THREADS", Shape::Number),
    ("GOMAXPROCS", Shape::Number),
    ("OMP_NUM_THREADS", Shape::Number),
    ("PYTHONHASHSEED", Shape::Word),
    ("PYTHONDONTWRITEBYTECODE", Shape::Word),
];

/// The shape of the values of a listed variable; `None` if the name is not listed.
pub fn shape_of(name: &str) -> Option<Shape> {
    let found = LISTED.iter().find(|(known, _)| *known == name);
    found.map(|(_, shape)| *shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_shape() {
        for (name, value, fits) in [
            ("NODE_ENV", "development", true),
            ("NODE_ENV", "", true),
            ("NODE_ENV", "../evil", false),
            ("NODE_ENV", "a b", false),
            ("NODE_ENV", "-x", false),
            ("CI", "true", true),
            ("CI", "1; evil", false),
            ("PORT", "8080", true),
            ("PORT", "http", false),
            ("PORT", "80 --config", false),
            ("HOST", "0.0.0.0", true),
            ("HOST", "::1", true),
            ("HOST", "a/b", false),
            ("TERM", "xterm-256color", true),
            ("TERM", "../x", false),
            ("LANG", "de_DE.UTF-8@euro", true),
            ("LANG", "/tmp/x", false),
            ("TZ", "Europe/Berlin", true),
            ("TZ", "/tmp/x", false),
            ("TZ", ":x", false),
            ("RUST_LOG", "info,app::http=debug", true),
            ("RUST_LOG", "$(evil)", false),
            ("DEBUG", "app:*,-app:db", true),
            ("DEBUG", "*", true),
        ] {
            let shape = shape_of(name).expect(name);
            assert_eq!(shape.fits(value), fits, "{name}={value:?}");
        }
        let long = "x".repeat(LONGEST + 1);
        assert!(!Shape::Word.fits(&long));
    }

    #[test]
    fn each_name_is_listed_once() {
        for (index, (name, _)) in LISTED.iter().enumerate() {
            assert!(LISTED[..index].iter().all(|(other, _)| other != name));
        }
    }
}
