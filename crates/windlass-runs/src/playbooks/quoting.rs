//! How a command uses variables: whether a shell would split their values into several words, and
//! whether a value would begin a word, where a dash makes it an option.

use std::convert::Infallible;

use super::expand::expand;

/// One use of a variable in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    pub name: String,
    /// Whether the value stays one word.
    pub quoted: bool,
    /// Whether the value stands at the beginning of a word.
    pub begins_word: bool,
}

/// Stands for a variable while the text is read.
const MARK: char = '\u{e000}';

/// All uses of variables in the text of a bash or sh script. Where the text cannot be followed, a
/// use counts as one without quotes.
pub fn variable_uses(command: &str) -> Vec<VariableUse> {
    let mut names = Vec::new();
    let marked: Result<String, Infallible> = expand(&command.replace(MARK, "_"), |name| {
        names.push(name.to_owned());
        Ok(MARK.to_string())
    });
    let Ok(marked) = marked;
    let found = Reader::default().read(&marked);
    let unknown = (false, true);
    let found = found.filter(|found| found.len() == names.len() && !is_hard(&marked));
    let found = found.unwrap_or_else(|| vec![unknown; names.len()]);
    let uses = names.into_iter().zip(found);
    uses.map(|(name, (quoted, begins_word))| VariableUse {
        name,
        quoted,
        begins_word,
    })
    .collect()
}

/// Whether the text has a here-document, a `case` or an ANSI-C string, in which quotes and
/// parentheses need not be in pairs.
fn is_hard(text: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric());
    text.contains("<<") || text.contains("$'") || words.any(|word| word == "case")
}

/// Where the reader is.
enum Place {
    /// In a script, or in one within it that ends with this character.
    Script { end: Option<char>, in_word: bool },
    /// Between double quotes. `at_beginning` as long as they contain nothing and began a word.
    Quotes { at_beginning: bool },
    /// Between single quotes.
    Literal,
}

#[derive(Default)]
struct Reader {
    outer: Vec<Place>,
    /// For each mark, whether it is quoted, and whether it begins a word.
    found: Vec<(bool, bool)>,
}

impl Reader {
    /// Reads the text to its end; `None` if something in it is left open.
    fn read(mut self, text: &str) -> Option<Vec<(bool, bool)>> {
        let mut place = Place::script(None);
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            place = match (place, letter) {
                (Place::Literal, '\'') | (Place::Quotes { .. }, '"') => self.leave()?,
                // Nothing is expanded here; an author who expects it is told that the use has no
                // quotes.
                (Place::Literal, _) => {
                    if letter == MARK {
                        self.found.push((false, false));
                    }
                    Place::Literal
                }
                (mut place, '\\') => {
                    letters.next();
                    place.extend_word();
                    place
                }
                (place, '$') if letters.peek() == Some(&'(') => {
                    letters.next();
                    self.enter(place, Place::script(Some(')')))
                }
                (Place::Script { end, .. }, _) if Some(letter) == end => self.leave()?,
                (place, '`') => self.enter(place, Place::script(Some('`'))),
                (Place::Quotes { at_beginning }, _) => {
                    if letter == MARK {
                        self.found.push((true, at_beginning));
                    }
                    Place::Quotes {
                        at_beginning: false,
                    }
                }
                (
                    Place::Script {
                        end,
                        in_word: false,
                    },
                    '#',
                ) => {
                    let comment = letters.by_ref().take_while(|it| *it != '\n');
                    let marks = comment.filter(|it| *it == MARK).count();
                    self.found.extend(vec![(true, false); marks]);
                    Place::script(end)
                }
                (Place::Script { end, in_word }, _) => self.read_plain(letter, end, in_word),
            };
        }
        let is_closed = self.outer.is_empty() && matches!(place, Place::Script { end: None, .. });
        is_closed.then_some(self.found)
    }

    /// A character of a script that is not quoted.
    fn read_plain(&mut self, letter: char, end: Option<char>, in_word: bool) -> Place {
        let here = Place::Script { end, in_word };
        match letter {
            '"' => {
                let quotes = Place::Quotes {
                    at_beginning: !in_word,
                };
                return self.enter(here, quotes);
            }
            '\'' => return self.enter(here, Place::Literal),
            '(' => return self.enter(here, Place::script(Some(')'))),
            MARK => self.found.push((false, !in_word)),
            _ => {}
        }
        Place::Script {
            end,
            in_word: !letter.is_whitespace() && !";|&<>)".contains(letter),
        }
    }

    fn enter(&mut self, outer: Place, inner: Place) -> Place {
        self.outer.push(outer);
        inner
    }

    fn leave(&mut self) -> Option<Place> {
        let mut outer = self.outer.pop()?;
        outer.extend_word();
        Some(outer)
    }
}

impl Place {
    const fn script(end: Option<char>) -> Self {
        Self::Script {
            end,
            in_word: false,
        }
    }

    fn extend_word(&mut self) {
        match self {
            Self::Script { in_word, .. } => *in_word = true,
            Self::Quotes { at_beginning } => *at_beginning = false,
            Self::Literal => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `q` for quoted, `u` for not; upper case at the beginning of a word.
    fn shown(command: &str) -> String {
        let uses = variable_uses(command);
        let letters = uses.iter().map(|it| match (it.quoted, it.begins_word) {
            (true, true) => 'Q',
            (true, false) => 'q',
            (false, true) => 'U',
            (false, false) => 'u',
        });
        letters.collect()
    }

    #[test]
    fn uses_are_found_in_their_quotes() {
        for (command, expected) in [
            ("echo ${v}", "U"),
            ("echo \"${v}\"", "Q"),
            ("echo \"a ${v} ${v}\"", "qq"),
            ("echo --x=${v} --x=\"${v}\" x\"${v}\"", "uqq"),
            ("${v} x", "U"),
            ("echo '${v}' ${v}", "uU"),
            ("echo \"it's ${v}\" ${v}", "qU"),
            ("echo \"\\\"${v}\\\"\" ${v}", "qU"),
            ("echo \\\" ${v}", "U"),
            ("echo \"$(cat ${v})\" \"${v}\"", "UQ"),
            ("echo \"$(cat \"${v}\") ${v}\"", "Qq"),
            ("echo \"`cat ${v}` ${v}\"", "Uq"),
            ("x=$(cat ${v}); y=${v}", "Uu"),
            ("(cd ${v}; ls \"${v}\")", "UQ"),
            ("# don't ${v}\nls ${v}", "qU"),
            ("a;${v}|${v}&&${v}", "UUU"),
            ("echo $${v} ${v}", "U"),
            ("[ \"${v}\" = x ] && echo ${#v} \"${v}\"", "QQ"),
            // What cannot be followed counts as not quoted.
            ("cat <<END\ndon't \"${v}\"\nEND\n", "U"),
            ("x=\"$(case y in a) echo \"${v}\";; esac)\"", "U"),
            ("echo $'it\\'s' \"${v}\"", "U"),
            ("echo \"${v}", "U"),
            ("echo '\"${v}\"", "U"),
            ("", ""),
        ] {
            assert_eq!(shown(command), expected, "{command}");
        }
    }
}
