//! Finds the tasks that a Gradle script declares, in Groovy and in Kotlin.

/// A task that a script declares.
pub struct Declared {
    pub name: String,
    /// Where in the text.
    pub position: usize,
    pub description: Option<String>,
}

/// The words that declare a task in `tasks { … }` and after `tasks.`.
const METHODS: &[&str] = &[
    "register",
    "create",
    "maybeCreate",
    "registering",
    "creating",
];
/// How far after its name the description of a task is looked for.
const MAX_BLOCK: usize = 3_000;

/// All declarations. The text has no comments.
pub fn declared(text: &str) -> Vec<Declared> {
    let mut scanner = Scanner {
        text,
        blocks: Vec::new(),
        found: Vec::new(),
    };
    scanner.scan();
    scanner.found
}

struct Scanner<'a> {
    text: &'a str,
    /// Whether each open block is one of `tasks`.
    blocks: Vec<bool>,
    found: Vec<Declared>,
}

impl Scanner<'_> {
    fn scan(&mut self) {
        let mut at = 0;
        // The word before, and whether a dot is between it and this one.
        let mut previous = (String::new(), false);
        while let Some(letter) = self.text[at..].chars().next() {
            match letter {
                '"' | '\'' => {
                    at += string_end(&self.text[at..]);
                    continue;
                }
                '{' => self.blocks.push(previous.0 == "tasks" && !previous.1),
                '}' => drop(self.blocks.pop()),
                '.' => {
                    previous.1 = true;
                    at += 1;
                    continue;
                }
                _ if is_start(letter) => {
                    let word = word_at(&self.text[at..]);
                    self.word(at, word, &previous);
                    at += word.len();
                    previous = (word.to_owned(), false);
                    continue;
                }
                _ => {}
            }
            if !letter.is_whitespace() && !['(', ')', '<', '>', '{'].contains(&letter) {
                previous = (String::new(), false);
            }
            at += letter.len_utf8();
        }
    }

    fn word(&mut self, at: usize, word: &str, previous: &(String, bool)) {
        let after = &self.text[at + word.len()..];
        let (before, has_dot) = (previous.0.as_str(), previous.1);
        let in_tasks = self.blocks.last() == Some(&true);
        let of_tasks = (has_dot && before == "tasks") || (!has_dot && in_tasks);
        let name = if word == "task" && !has_dot && self.begins_statement(at) {
            task_name(after)
        } else if of_tasks && METHODS.contains(&word) {
            match word {
                "registering" | "creating" => self.delegated(at),
                _ => registered(after),
            }
        } else {
            None
        };
        if let Some(name) = name.filter(|name| !name.is_empty() && !name.contains('$')) {
            let description = description(after, &name);
            self.found.push(Declared {
                name,
                position: at,
                description,
            });
        }
    }

    /// Whether only a declaration can come here: `task x`, `def y = task x`, `val y = task("x")`.
    fn begins_statement(&self, at: usize) -> bool {
        let line = self.text[..at].rsplit(['\n', ';', '{', '}']).next();
        let before = line.unwrap_or_default().trim();
        before.is_empty() || before.ends_with('=') || before == "project."
    }

    /// The name in `val name by tasks.registering`.
    fn delegated(&self, at: usize) -> Option<String> {
        let line = self.text[..at].rsplit(['\n', ';', '{', '}']).next()?;
        let (before, _) = line.rsplit_once(" by ")?;
        let name = before.trim().strip_prefix("val ")?;
        Some(name.split(':').next()?.trim().trim_matches('`').to_owned())
    }
}

/// The name in `("x")`, `<T>("x")`, `'x'` or `(name = "x")`.
fn registered(after: &str) -> Option<String> {
    let after = match after.strip_prefix('<') {
        Some(generic) => {
            let end = closing_generic(generic)?;
            &generic[end..]
        }
        None => after,
    };
    let after = after.trim_start().trim_start_matches('(').trim_start();
    let after = match after.strip_prefix("name") {
        Some(rest) => rest.trim_start().strip_prefix([':', '='])?.trim_start(),
        None => after,
    };
    quoted(after)
}

/// The length of `T<U>>` including the bracket that closes.
fn closing_generic(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, letter) in text.char_indices().take(300) {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The name in `task x`, `task 'x'`, `task(x)`, `task<T>("x")`.
fn task_name(after: &str) -> Option<String> {
    if after.starts_with('<') {
        return registered(after);
    }
    let call = after.starts_with('(');
    let after = after.strip_prefix([' ', '\t', '('])?.trim_start();
    if after.starts_with(['"', '\'']) {
        return quoted(after);
    }
    let name = word_at(after);
    let rest = after[name.len()..].trim_start_matches([' ', '\t']);
    // `task name` and what may follow a name; not a closure's parameter or an assignment.
    let follows = rest.is_empty() || rest.starts_with(['\n', '\r', '{', '(', '<', ';', '}']);
    let follows = follows || (call && rest.starts_with([',', ')']));
    (follows && name.starts_with(is_start)).then(|| name.to_owned())
}

fn quoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let end = string_end(text);
    let inner = text.get(1..end)?.strip_suffix(quote)?;
    Some(inner.replace("\\\"", "\"").replace("\\'", "'"))
}

/// The length of a quoted text at the beginning, with its quotes; it ends with its line.
fn string_end(text: &str) -> usize {
    if let Some(inner) = text.strip_prefix("\"\"\"") {
        return inner.find("\"\"\"").map_or(text.len(), |end| end + 6);
    }
    let quote = text.chars().next().unwrap_or('"');
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn is_start(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn word_at(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    &text[..end.unwrap_or(text.len())]
}

/// `description = "…"` in the block of the task, before another is declared.
fn description(after: &str, name: &str) -> Option<String> {
    let mut end = after.len().min(MAX_BLOCK);
    while !after.is_char_boundary(end) {
        end -= 1;
    }
    let after = &after[..end];
    let start = after.find(name)? + name.len();
    let mut depth = 0_usize;
    for line in after[start..].lines() {
        let body = line.trim_start().trim_start_matches('{').trim_start();
        if let Some((_, text)) = body.split_once("description")
            && (body.starts_with("description")
                || body.contains("{ description")
                || body.contains("setDescription"))
        {
            let text = text.trim_start_matches([' ', '=', '(', ':']);
            return quoted(text).filter(|text| !text.contains("${"));
        }
        depth += line.matches('{').count();
        depth = depth.saturating_sub(line.matches('}').count());
        if depth == 0 && !line.trim().is_empty() && !line.trim_end().ends_with(['(', ',']) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::declared;

    fn check(text: &str, expected: &[&str]) {
        let names: Vec<String> = declared(text).into_iter().map(|it| it.name).collect();
        assert_eq!(names, expected, "{text}");
    }

    #[test]
    fn every_way_to_declare() {
        check(
            "task a\ntask 'b' {}\ntask(c)\ntask('d', type: X) {}\ntask<T>(\"e\")\n",
            &["a", "b", "c", "d", "e"],
        );
        check(
            "tasks.register(\"a\")\nproject.tasks.create('b', X)\ntasks.register<Copy<X>>(\"c\") {\n}\n",
            &["a", "b", "c"],
        );
        check(
            "tasks {\n  register<T>(\"a\") {\n    doLast { }\n  }\n  val b by registering\n  create(\"c\")\n  named(\"d\")\n}\n",
            &["a", "b", "c"],
        );
        check(
            "val gen by tasks.registering(X::class) {}\nval `odd name` by tasks.creating\n",
            &["gen", "odd name"],
        );
        check(
            "val x = tasks.register(\"a b\")\ndef y = task z\n",
            &["a b", "z"],
        );
    }

    #[test]
    fn what_only_looks_like_a_declaration() {
        check(
            "all { task -> logger.info('x') }\ntasks.all { task ->\n println task.name }\n",
            &[],
        );
        check(
            "configurations.register(\"x\")\npublications { create<P>(\"maven\") {} }\n",
            &[],
        );
        check(
            "tasks.register(name)\ntasks.register(\"x$y\")\ntask \"x${y}\"\nmy.task x\n",
            &[],
        );
        check(
            "println(\"tasks.register('x')\")\ntasks.named(\"x\")\n",
            &[],
        );
    }
}
