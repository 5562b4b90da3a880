//! CMake: custom targets, built in the folder `build` of the top-level project. Files are followed
//! where they are included, and loops and functions where their words are literal. All branches of a
//! condition count but those that only another system takes.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::command::ArgumentStyle;
use crate::data::Lines;
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found, MAX_INCLUDES};

use super::cmake_calls::{Call, calls};
use super::cmake_conditions::holds;
use super::cmake_values::{MAX_VALUE, computed};
use super::pins;

const NO_ARGUMENTS: &str = "cmake would interpret each further argument as an option";
const CALL: &str = "add_custom_target";
/// More calls than this are not followed through loops and functions.
const MAX_CALLS: usize = 500_000;

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    // Most files of a large project define nothing that can be run.
    let top = top_of(context);
    let mut reader = Reader {
        context,
        top,
        variables: HashMap::new(),
        functions: HashMap::new(),
        modules: Vec::new(),
        visited: HashSet::from([context.path.to_owned()]),
        budget: MAX_CALLS,
        seal: None,
        found: Found::default(),
    };
    reader.modules_of_the_top();
    reader.file(context.path, text, 0);
    reader.found
}

/// The folder of the top-level project.
pub fn top_of<'a>(context: &FileContext<'a>) -> &'a str {
    paths::ancestors(context.folder())
        .filter(|folder| {
            context
                .source
                .exists(&paths::join_display(folder, "CMakeLists.txt"))
        })
        .last()
        .unwrap_or(context.folder())
}

/// A file with its calls.
struct File {
    path: String,
    text: String,
    calls: Vec<Call>,
    lines: Lines,
}

/// A function or macro: its parameters, and where its calls are.
#[derive(Clone)]
struct Function {
    file: Rc<File>,
    parameters: Vec<String>,
    from: usize,
    to: usize,
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    top: &'a str,
    variables: HashMap<String, String>,
    functions: HashMap<String, Function>,
    /// The folders of the module path.
    modules: Vec<String>,
    visited: HashSet<String>,
    budget: usize,
    seal: Option<Seal>,
    found: Found,
}

impl Reader<'_> {
    /// A file in a subfolder sees the module path that the top-level file sets.
    fn modules_of_the_top(&mut self) {
        if self.context.folder() == self.top {
            return;
        }
        let path = paths::join_display(self.top, "CMakeLists.txt");
        if let Ok(text) = self.context.source.read(&path)
            && text.contains("CMAKE_MODULE_PATH")
        {
            for call in calls(&text) {
                if ["set", "list"].contains(&call.name.as_str()) {
                    self.module_path(&path, &call.words);
                }
            }
        }
    }

    fn file(&mut self, path: &str, text: &str, depth: usize) {
        let file = Rc::new(File {
            path: path.to_owned(),
            text: text.to_owned(),
            calls: calls(text),
            lines: Lines::new(text),
        });
        self.run(&file, 0, file.calls.len(), depth);
    }

    /// Follows the calls of a part of a file.
    fn run(&mut self, file: &Rc<File>, from: usize, to: usize, depth: usize) {
        let mut at = from;
        // Of each `if` that is open, whether a branch was taken that excludes those after it.
        let mut taken = Vec::new();
        while at < to {
            let call = &file.calls[at];
            at += 1;
            if self.budget == 0 || depth > MAX_INCLUDES * 2 {
                return;
            }
            self.budget -= 1;
            match call.name.as_str() {
                "if" | "elseif" | "else" => {
                    if call.name == "if" {
                        taken.push(false);
                    }
                    let is_past = taken.last() == Some(&true);
                    let condition = match call.name.as_str() {
                        "else" => Some(!is_past),
                        _ if is_past => Some(false),
                        _ => holds(call, &file.text[call.start..call.end]),
                    };
                    if condition == Some(false) {
                        at = next_branch(file, at, to);
                    } else if let Some(last) = taken.last_mut() {
                        *last |= condition == Some(true);
                    }
                }
                "endif" => drop(taken.pop()),
                "foreach" => {
                    let end = end_of(file, at, to, "foreach", "endforeach");
                    self.each(file, call, at, end, depth);
                    at = end + 1;
                }
                "function" | "macro" => {
                    let closing = format!("end{}", call.name);
                    let end = end_of(file, at, to, &call.name, &closing);
                    if let Some((name, parameters)) = call.words.split_first() {
                        let function = Function {
                            file: Rc::clone(file),
                            parameters: parameters.to_vec(),
                            from: at,
                            to: end,
                        };
                        self.functions.insert(name.to_ascii_lowercase(), function);
                    }
                    at = end + 1;
                }
                "set" | "list" => {
                    self.module_path(&file.path, &call.words);
                    self.assign(&call.name, &call.words);
                }
                "project" => {
                    if let Some(name) = call.words.first().and_then(|it| self.expand(it)) {
                        self.variables.insert("PROJECT_NAME".to_owned(), name);
                    }
                }
                "string" | "get_filename_component" => self.compute(call),
                "include" => self.include(&file.path, &call.words, depth),
                CALL => self.target(file, call),
                name => self.call(name, &call.words, depth),
            }
        }
    }

    fn assign(&mut self, call: &str, words: &[String]) {
        let (name, values) = match (call, words) {
            ("set", [name, values @ ..]) => (name, values),
            ("list", [append, name, values @ ..]) if append == "APPEND" => (name, values),
            _ => return,
        };
        let kept = values
            .iter()
            .take_while(|it| !["CACHE", "PARENT_SCOPE"].contains(&it.as_str()));
        let values: Option<Vec<String>> = kept.map(|value| self.expand(value)).collect();
        let Some(values) = values else {
            self.variables.remove(name);
            return;
        };
        let joined = values.join(";");
        match self.variables.get_mut(name) {
            Some(known) if call == "list" && known.len() < MAX_VALUE => {
                known.push(';');
                known.push_str(&joined);
            }
            _ => drop(self.variables.insert(name.clone(), joined)),
        }
    }

    fn compute(&mut self, call: &Call) {
        let expand = |text: &str| self.expand(text);
        let known = |name: &str| self.variables.get(name).cloned();
        let Some((name, value)) = computed(&call.name, &call.words, expand, known) else {
            return;
        };
        match value {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
    }

    /// The words of a text with literal variables replaced; `None` if one is not known.
    fn expand(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            out.push_str(&rest[..at]);
            let (name, after) = rest[at + 2..].split_once('}')?;
            out.push_str(self.variables.get(name)?);
            rest = after;
            if out.len() > MAX_VALUE {
                return None;
            }
        }
        out.push_str(rest);
        (!out.contains('$')).then_some(out)
    }

    fn each(&mut self, file: &Rc<File>, call: &Call, from: usize, to: usize, depth: usize) {
        let Some((variable, rest)) = call.words.split_first() else {
            return;
        };
        let Some(items) = self.items(rest) else {
            // Nothing in the loop has a name that is known, unless it does not use the variable.
            return self.run(file, from, to, depth + 1);
        };
        let before = self.variables.get(variable).cloned();
        for item in items {
            self.variables.insert(variable.clone(), item);
            self.run(file, from, to, depth + 1);
        }
        match before {
            Some(value) => self.variables.insert(variable.clone(), value),
            None => self.variables.remove(variable),
        };
    }

    fn items(&self, words: &[String]) -> Option<Vec<String>> {
        if words.first().is_some_and(|word| word == "RANGE") {
            let numbers: Vec<i64> = words[1..].iter().filter_map(|it| it.parse().ok()).collect();
            let (first, last) = match numbers.as_slice() {
                [last] => (0, *last),
                [first, last, ..] => (*first, *last),
                [] => return None,
            };
            return (last - first < 10_000)
                .then(|| (first..=last).map(|it| it.to_string()).collect());
        }
        let mut items = Vec::new();
        let mut is_list = false;
        for word in words {
            match word.as_str() {
                "IN" => {}
                "LISTS" => is_list = true,
                "ITEMS" => is_list = false,
                name if is_list => {
                    let value = self.variables.get(name)?;
                    items.extend(value.split(';').map(str::to_owned));
                }
                word => items.extend(self.expand(word)?.split(';').map(str::to_owned)),
            }
        }
        items.retain(|item| !item.is_empty());
        Some(items)
    }

    /// A function of the project.
    fn call(&mut self, name: &str, words: &[String], depth: usize) {
        let Some(function) = self.functions.get(name).cloned() else {
            return;
        };
        if depth > MAX_INCLUDES || !function.defines() {
            return;
        }
        let mut before = Vec::new();
        for (parameter, given) in function.parameters.iter().zip(words) {
            before.push((parameter, self.variables.get(parameter).cloned()));
            match self.expand(given) {
                Some(value) => self.variables.insert(parameter.clone(), value),
                None => self.variables.remove(parameter),
            };
        }
        self.run(&function.file, function.from, function.to, depth + 1);
        for (parameter, value) in before {
            match value {
                Some(value) => self.variables.insert(parameter.clone(), value),
                None => self.variables.remove(parameter),
            };
        }
    }

    fn module_path(&mut self, path: &str, words: &[String]) {
        if !words.iter().any(|word| word == "CMAKE_MODULE_PATH") {
            return;
        }
        for part in words.iter().flat_map(|word| word.split(';')) {
            if let Some(folder) = self.located(path, part)
                && self.context.source.has_folder(&folder)
                && !self.modules.contains(&folder)
            {
                self.modules.push(folder);
            }
        }
    }

    /// A path that a file names, relative to the root of the repository.
    fn located(&self, path: &str, written: &str) -> Option<String> {
        let starts = [
            ("${CMAKE_CURRENT_LIST_DIR}", paths::folder_of(path)),
            ("${CMAKE_CURRENT_SOURCE_DIR}", self.context.folder()),
            ("${CMAKE_SOURCE_DIR}", self.top),
            ("${PROJECT_SOURCE_DIR}", self.top),
        ];
        let known = starts.iter().find_map(|(start, folder)| {
            Some((
                *folder,
                written.strip_prefix(start)?.trim_start_matches('/'),
            ))
        });
        let (folder, rest) = known.unwrap_or((self.context.folder(), written));
        paths::resolve(folder, &self.expand(rest)?)
    }

    fn include(&mut self, from: &str, words: &[String], depth: usize) {
        let Some(written) = words.first() else { return };
        let is_file = written.contains('/') || paths::ending_of(written) == "cmake";
        let files: Vec<String> = if is_file {
            self.located(from, written).into_iter().collect()
        } else {
            let Some(name) = self.expand(written) else {
                return;
            };
            let name = format!("{name}.cmake");
            let folders = self.modules.iter();
            folders.map(|it| paths::join_display(it, &name)).collect()
        };
        let found = files
            .into_iter()
            .find(|path| self.context.source.exists(path));
        let Some(path) = found.filter(|path| self.visited.insert(path.clone())) else {
            return;
        };
        if depth < MAX_INCLUDES
            && let Ok(text) = self.context.source.read(&path)
        {
            self.file(&path, &text, depth + 1);
        }
    }

    fn target(&mut self, file: &Rc<File>, call: &Call) {
        let line = file.lines.of(call.start);
        let Some((name, rest)) = call.words.split_first() else {
            if call.is_open || call.words.is_empty() {
                let message = format!("`{CALL}` is not closed or has no name");
                self.found.problem(&file.path, line, message);
            }
            return;
        };
        let Some(name) = self.expand(name) else {
            return;
        };
        if name.is_empty() || self.found.has(&name) {
            return;
        }
        let comment = rest.iter().position(|word| word == "COMMENT");
        let comment = comment.and_then(|at| rest.get(at + 1));
        let comment = comment.filter(|text| !text.is_empty());
        let comment = comment.map(|text| self.expand(text).unwrap_or_else(|| text.clone()));
        let (context, top) = (self.context, self.top);
        let seal = self
            .seal
            .get_or_insert_with(|| pins::cmake::pin(context, top));
        let command = context
            .command(Runner::Cmake, &name, &file.text[call.start..call.end])
            .with_args(["--build", "build", "--target", &name])
            .defined_in(&file.path)
            .at(line)
            .described(comment)
            .run_in(top)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        self.found.push(command, seal);
    }
}

impl Function {
    /// Whether a call of it could define a target; most functions do not.
    fn defines(&self) -> bool {
        let calls = &self.file.calls[self.from..self.to];
        let known = |call: &Call| call.name == CALL || call.name == "foreach";
        calls
            .iter()
            .any(|call| known(call) || call.name.starts_with("add_"))
    }
}

/// The next branch of a condition that is open at `at`, or its end.
fn next_branch(file: &File, at: usize, to: usize) -> usize {
    let mut depth = 0_usize;
    for (place, call) in file.calls[at..to].iter().enumerate() {
        match call.name.as_str() {
            "if" => depth += 1,
            "endif" if depth > 0 => depth -= 1,
            "elseif" | "else" | "endif" if depth == 0 => return at + place,
            _ => {}
        }
    }
    to
}

/// The call that ends a block which begins before `at`.
fn end_of(file: &File, at: usize, to: usize, opens: &str, closes: &str) -> usize {
    let mut depth = 1_usize;
    for (place, call) in file.calls[at..to].iter().enumerate() {
        if call.name == opens {
            depth += 1;
        } else if call.name == closes {
            depth -= 1;
            if depth == 0 {
                return at + place;
            }
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, problems, read, read_alone, rows};
    use crate::source::MemorySource;

    #[test]
    fn custom_targets() {
        let found = read_alone(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.20)\r\n# add_custom_target(no)\r\n#[[\r\nadd_custom_target(neither)\r\n]]\r\nmessage(\"add_custom_target(nor)\")\r\nadd_custom_target(format ALL\r\n  COMMAND clang-format -i (a) # why )\r\n  COMMENT \"Format \\\"all\\\" (now)\"\r\n  VERBATIM)\r\nADD_CUSTOM_TARGET( docs )\r\nadd_custom_target(${NAME})\r\n",
        );
        assert_eq!(names(&found), ["format", "docs"]);
        assert_eq!(
            found.commands[0].display(),
            "cmake --build build --target format"
        );
        assert!(
            found.commands[0]
                .description
                .as_deref()
                .unwrap()
                .starts_with("Format")
        );
        assert_eq!(found.commands[0].line, 7);
    }

    #[test]
    fn targets_of_subfolders_are_built_from_the_top() {
        let source = MemorySource::default()
            .with("CMakeLists.txt", "add_subdirectory(lib)")
            .with(
                "lib/CMakeLists.txt",
                "add_custom_target(bench COMMENT Bench)",
            );
        let found = read(&source, "lib/CMakeLists.txt");
        assert_eq!(
            rows(&found),
            ["bench | cmake --build build --target bench | Bench"]
        );
        assert_eq!(found.commands[0].invocation.cwd, "");
        assert_eq!(found.commands[0].full_name(), "lib/bench");
    }

    #[test]
    fn descriptions_have_the_values_of_their_variables() {
        let text = "foreach(F a b)\nadd_custom_target(${F} COMMENT \"Check ${F}\")\nendforeach()\nadd_custom_target(c COMMENT \"In ${UNKNOWN}\")";
        let found = read_alone("CMakeLists.txt", text);
        assert_eq!(
            rows(&found),
            [
                "a | cmake --build build --target a | Check a",
                "b | cmake --build build --target b | Check b",
                "c | cmake --build build --target c | In ${UNKNOWN}",
            ]
        );
    }

    #[test]
    fn values_do_not_grow_without_end() {
        let double = "string(APPEND X \"${X}\")\n".repeat(60);
        let long = "a".repeat(50_000);
        let text = format!(
            "set(X x)\n{double}add_custom_target(y${{X}})\nset(L {long})\nstring(REPLACE a ${{L}} M ${{L}})\nadd_custom_target(z${{M}})\nadd_custom_target(last)\n"
        );
        assert_eq!(names(&read_alone("CMakeLists.txt", &text)), ["last"]);
    }

    #[test]
    fn broken() {
        let found = read_alone("CMakeLists.txt", "\nadd_custom_target(x COMMENT \"ü");
        assert_eq!(
            problems(&found),
            ["CMakeLists.txt:2 `add_custom_target` is not closed or has no name"]
        );
    }
}
