//! Reads the lines of a Rakefile: tasks, namespaces, loops over literals, and the tasks that
//! libraries define. Blocks are followed by indentation.

use std::collections::HashMap;

use super::ruby::{self, Lists, Values};

/// A task that a file defines.
pub struct Task {
    pub name: String,
    pub line: usize,
    pub description: Option<String>,
    pub text: String,
}

/// What a file has.
#[derive(Default)]
pub struct Lines {
    pub tasks: Vec<Task>,
    /// Files that it loads: the call, and the text after it.
    pub loads: Vec<(usize, &'static str, String)>,
}

/// More tasks than this are not made from loops.
const MAX_TASKS: usize = 100_000;
const MAX_DEPTH: usize = 12;
/// How many calls of methods are followed.
const MAX_CALLS: usize = 1_000;
/// The end of a longer block is not looked for.
const MAX_BLOCK: usize = 5_000;
/// How many lines of a task a person is shown.
const MAX_TEXT: usize = 60;

/// The classes whose `new` defines tasks: the class, the usual name, and the tasks besides the one of
/// that name, where `*` is the name.
const CLASSES: &[(&str, &str, &[&str])] = &[
    ("Rake::TestTask", "test", &[]),
    (
        "Minitest::TestTask",
        "test",
        &["*:cmd", "*:deps", "*:isolated", "*:slow"],
    ),
    ("Rails::TestUnit::Task", "test", &[]),
    ("RSpec::Core::RakeTask", "spec", &[]),
    ("Spec::Rake::SpecTask", "spec", &[]),
    ("Cucumber::Rake::Task", "cucumber", &[]),
    (
        "RuboCop::RakeTask",
        "rubocop",
        &["*:auto_correct", "*:autocorrect", "*:autocorrect_all"],
    ),
    ("Standard::Rake", "standard", &["*:fix"]),
    ("YARD::Rake::YardocTask", "yard", &[]),
    ("Reek::Rake::Task", "reek", &[]),
    ("SteepTask", "steep", &[]),
    ("RDoc::Task", "rdoc", &["clobber_*", "re*"]),
    ("Rake::RDocTask", "rdoc", &["clobber_*", "re*"]),
    ("Rails::API::EdgeTask", "rdoc", &[]),
    ("Rails::API::StableTask", "rdoc", &[]),
    ("SDoc::Task", "rdoc", &[]),
];

/// The libraries whose `require` defines tasks.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("bundler/gem_tasks", GEM),
    ("bundler/setup_tasks", &[]),
    ("rake/clean", &["clean", "clobber"]),
    ("standard/rake", &["standard", "standard:fix"]),
    ("bundler/audit/task", &[]),
    (
        "sinatra/activerecord/rake",
        &["db:create", "db:drop", "db:migrate", "db:rollback"],
    ),
];
const GEM: &[&str] = &[
    "build",
    "build:checksum",
    "clean",
    "clobber",
    "install",
    "install:local",
    "release",
    "release:guard_clean",
    "release:rubygem_push",
    "release:source_control_push",
];
const PACKAGE: &[&str] = &["package", "repackage", "clobber_package"];

/// Reads a file. `lists` are constants of files that were read before, and get those of this one.
pub fn read(text: &str, lists: &mut Lists) -> Lines {
    let all: Vec<&str> = text.lines().collect();
    let mut reader = Reader {
        lists,
        found: Lines::default(),
        all: &all,
        functions: HashMap::new(),
        calls: 0,
        entered: Vec::new(),
    };
    let scope = Scope::default();
    reader.lines(0, without_data(&all), &scope, 0);
    reader.found
}

/// How many lines come before `__END__`.
fn without_data(all: &[&str]) -> usize {
    let end = all.iter().position(|line| line.trim_end() == "__END__");
    end.unwrap_or(all.len())
}

#[derive(Default, Clone)]
struct Scope {
    spaces: Vec<String>,
    values: Values,
}

struct Reader<'a> {
    lists: &'a mut Lists,
    found: Lines,
    all: &'a [&'a str],
    functions: HashMap<String, Function>,
    /// How many calls were followed.
    calls: usize,
    /// The methods that are being read, none of which is entered again.
    entered: Vec<String>,
}

/// A method of the file: the names of its parameters, and its lines.
#[derive(Clone)]
struct Function {
    parameters: Vec<String>,
    from: usize,
    to: usize,
}

impl Reader<'_> {
    fn lines(&mut self, from: usize, to: usize, scope: &Scope, depth: usize) {
        let mut description: Option<String> = None;
        let mut at = from;
        let mut is_comment = false;
        while at < to {
            let line = self.all[at];
            let body = line.trim_start();
            is_comment = match line.trim_end() {
                "=begin" => true,
                "=end" => false,
                _ => is_comment,
            };
            if is_comment || body.starts_with('#') || body.trim().is_empty() {
                at += 1;
                continue;
            }
            self.function(at, to, body);
            self.called(body, scope, depth);
            if let Some(end) = self.nested(at, to, body, scope, depth) {
                at = end;
                continue;
            }
            if let Some(rest) = call(body, "desc") {
                description = ruby::text(rest, &scope.values);
                at += 1;
                continue;
            }
            // What an action defines does not exist before it is executed.
            if let Some(end) = self.action(at, to, body) {
                self.defined(at, body, scope, &mut description);
                at = end;
                continue;
            }
            self.assignment(at, to, body);
            self.loaded(at, body, scope);
            if !self.defined(at, body, scope, &mut description) {
                self.one_line_loop(at, body, scope);
            }
            at += 1;
        }
    }

    /// `def name(a, b)`: what it defines depends on what it is called with.
    fn function(&mut self, at: usize, to: usize, body: &str) {
        let Some(rest) = call(body, "def") else {
            return;
        };
        let name = ruby::word(rest);
        let given = rest[name.len()..].trim_start_matches([' ', '(']);
        let (parameters, _) = ruby::arguments(given);
        let parameters = parameters.into_iter();
        let function = Function {
            parameters: parameters
                .map(|it| ruby::word(it.trim()).to_owned())
                .collect(),
            from: at + 1,
            to: self.block_end(at, to),
        };
        self.functions.insert(name.to_owned(), function);
    }

    /// `name :a, "b"` of a method of the file.
    fn called(&mut self, body: &str, scope: &Scope, depth: usize) {
        let name = ruby::word(body);
        let Some(function) = self.functions.get(name).cloned() else {
            return;
        };
        self.calls += 1;
        let is_entered = self.entered.iter().any(|it| it == name);
        if is_entered || depth > MAX_DEPTH || self.calls > MAX_CALLS {
            return;
        }
        let given = body[name.len()..].trim_start_matches([' ', '(']);
        let (given, _) = ruby::arguments(given);
        let mut inner = scope.clone();
        for (at, parameter) in function.parameters.iter().enumerate() {
            let value = given.get(at).map(|it| it.trim());
            let value = value.and_then(|it| {
                let variable = || scope.values.get(it).cloned();
                ruby::literal(it).or_else(variable)
            });
            match value {
                Some(value) => inner.values.insert(parameter.clone(), value),
                None => inner.values.remove(parameter),
            };
        }
        self.entered.push(name.to_owned());
        self.lines(function.from, function.to, &inner, depth + 1);
        self.entered.pop();
    }

    /// A namespace or a loop: its block is read with what it sets. Returns the line after it.
    fn nested(
        &mut self,
        at: usize,
        to: usize,
        body: &str,
        scope: &Scope,
        depth: usize,
    ) -> Option<usize> {
        if depth > MAX_DEPTH {
            return None;
        }
        let opens = opens_block(body);
        if let Some(rest) = call(body, "namespace") {
            let end = self.block_end(at, to);
            let name = ruby::name(rest, &scope.values);
            // In a namespace whose name is computed, no name is known.
            if let Some(name) = name.filter(|_| opens) {
                let mut inner = scope.clone();
                inner.spaces.push(name);
                self.lines(at + 1, end, &inner, depth + 1);
            }
            return opens.then_some(end);
        }
        let (receiver, rest) = body.split_once(".each")?;
        if !opens || rest.starts_with("_value") {
            return None;
        }
        let items = ruby::list(receiver, self.lists)?;
        let end = self.block_end(at, to);
        let names = ruby::block_names(body);
        for item in items {
            if self.found.tasks.len() > MAX_TASKS {
                break;
            }
            let mut inner = scope.clone();
            for name in names.iter().skip(1) {
                inner.values.remove(name);
            }
            if let Some(name) = names.first() {
                inner.values.insert(name.clone(), item);
            }
            self.lines(at + 1, end, &inner, depth + 1);
        }
        Some(end)
    }

    /// The line after the block of `task … do`.
    fn action(&self, at: usize, to: usize, body: &str) -> Option<usize> {
        let words = ["task", "multitask", "file", "directory", "rule"];
        let is_task = words.iter().any(|word| call(body, word).is_some());
        (is_task && opens_block(body)).then(|| self.block_end(at, to))
    }

    /// `%w(a b).each { |x| task x => :y }` in one line.
    fn one_line_loop(&mut self, at: usize, body: &str, scope: &Scope) {
        let Some((receiver, rest)) = body.split_once(".each") else {
            return;
        };
        let Some((_, inside)) = rest.split_once('|').and_then(|(_, it)| it.split_once('|')) else {
            return;
        };
        let Some(items) = ruby::list(receiver, self.lists) else {
            return;
        };
        let names = ruby::block_names(rest);
        for item in items {
            let mut inner = scope.clone();
            if let Some(name) = names.first() {
                inner.values.insert(name.clone(), item);
            }
            for part in inside.split(';') {
                self.defined(at, part.trim_start(), &inner, &mut None);
            }
        }
    }

    /// `NAME = %w(…)`, over as many lines as it takes.
    fn assignment(&mut self, at: usize, to: usize, body: &str) {
        let Some((name, value)) = body.split_once('=') else {
            return;
        };
        let name = name.trim();
        if name.is_empty() || ruby::word(name) != name || value.starts_with(['=', '~', '>']) {
            return;
        }
        let mut text = value.trim().to_owned();
        for line in &self.all[(at + 1).min(to)..(at + 40).min(to)] {
            if ruby::list(&text, self.lists).is_some() || !text.starts_with(['%', '[', '(', '{']) {
                break;
            }
            if line.trim_start().starts_with('#') {
                continue;
            }
            text.push(' ');
            text.push_str(line.trim());
        }
        if let Some(items) = ruby::list(&text, self.lists) {
            self.lists.insert(name.to_owned(), items);
        }
    }

    fn loaded(&mut self, at: usize, body: &str, scope: &Scope) {
        for name in [
            "import",
            "load",
            "require_relative",
            "require",
            "add_rakelib",
        ] {
            let Some(rest) = after_call(body, name) else {
                continue;
            };
            if name == "require" {
                let library = ruby::text(rest.trim_start_matches(['(', ' ']), &scope.values);
                let known = LIBRARIES
                    .iter()
                    .find(|(it, _)| Some(*it) == library.as_deref());
                for task in known.map(|(_, tasks)| *tasks).unwrap_or_default() {
                    self.push(at, task, scope, None);
                }
                if known.is_some() {
                    continue;
                }
            }
            let rest = ruby::filled(rest, &scope.values).unwrap_or_else(|| rest.to_owned());
            // A block such as `Dir.glob('x').each { |file| load file }` names its pattern before.
            let named = rest.contains(['"', '\'']);
            let rest = if !named && body.contains("Dir") {
                body.to_owned()
            } else {
                rest
            };
            self.found.loads.push((at + 1, name, rest));
        }
        if body.contains("load_tasks") {
            self.found.loads.push((at + 1, "load_tasks", String::new()));
        }
        if body.contains("install_tasks") && body.contains("Bundler::GemHelper") {
            for task in GEM
                .iter()
                .filter(|task| !["clean", "clobber"].contains(task))
            {
                self.push(at, task, scope, None);
            }
        }
    }

    /// A task of the line, if it defines one.
    fn defined(
        &mut self,
        at: usize,
        body: &str,
        scope: &Scope,
        description: &mut Option<String>,
    ) -> bool {
        for word in ["task", "multitask"] {
            let Some(rest) = call(body, word) else {
                continue;
            };
            let about = description.take();
            if let Some(name) = ruby::name(rest, &scope.values) {
                self.push(at, &name, scope, about);
                return true;
            }
        }
        if let Some(name) = call(body, "file").and_then(|rest| ruby::name(rest, &scope.values)) {
            // Files are made by tasks; one that does not look like a file is called by name.
            let about = description.take();
            if !name.contains(['/', '.']) {
                self.push(at, &name, scope, about);
            }
            return true;
        }
        self.of_class(at, body, scope, description)
    }

    /// `Rake::TestTask.new(:name) do |t|` and its kin.
    fn of_class(
        &mut self,
        at: usize,
        body: &str,
        scope: &Scope,
        description: &mut Option<String>,
    ) -> bool {
        let Some((class, rest)) = body
            .split_once(".new")
            .or_else(|| body.split_once(".create"))
        else {
            return false;
        };
        let class = class.rsplit([' ', '=', '(']).next().unwrap_or_default();
        let class = class.trim_start_matches("::");
        let given = rest.trim_start_matches(['(', ' ']);
        if [
            "Gem::PackageTask",
            "Rake::GemPackageTask",
            "Rake::PackageTask",
        ]
        .contains(&class)
        {
            for task in PACKAGE {
                self.push(at, task, scope, None);
            }
            if class != "Rake::PackageTask" {
                self.push(at, "gem", scope, None);
            }
            return true;
        }
        if class == "Rake::ExtensionTask" || class == "Rake::JavaExtensionTask" {
            for task in ["compile", "clean", "clobber"] {
                self.push(at, task, scope, None);
            }
            if let Some(name) = ruby::text(given, &scope.values) {
                self.push(at, &format!("compile:{name}"), scope, None);
            }
            return true;
        }
        let Some((_, usual, others)) = CLASSES.iter().find(|(name, _, _)| *name == class) else {
            return false;
        };
        let is_given = rest.starts_with('(') && !given.starts_with(')') || given.starts_with(':');
        let named = ruby::name(given, &scope.values);
        // A name that is computed is no known name.
        let Some(name) = (if is_given {
            named
        } else {
            Some((*usual).to_owned())
        }) else {
            return true;
        };
        let name = self.name_in_block(at, &scope.values).unwrap_or(name);
        self.push(at, &name, scope, description.take());
        for other in *others {
            self.push(at, &other.replace('*', &name), scope, None);
        }
        true
    }

    /// `t.name = "x"` in the block of a class.
    fn name_in_block(&self, at: usize, values: &Values) -> Option<String> {
        if !opens_block(self.all[at]) {
            return None;
        }
        let parameter = ruby::block_names(self.all[at]).into_iter().next()?;
        let end = self.block_end(at, (at + MAX_TEXT).min(self.all.len()));
        let set = format!("{parameter}.name");
        self.all[at + 1..end].iter().find_map(|line| {
            let value = line.trim_start().strip_prefix(&set)?.trim_start();
            ruby::name(value.strip_prefix('=')?, values)
        })
    }

    fn push(&mut self, at: usize, name: &str, scope: &Scope, description: Option<String>) {
        let outer = scope.spaces.iter().map(String::as_str);
        let name = outer.chain([name]).collect::<Vec<_>>().join(":");
        let end = if opens_block(self.all[at]) {
            self.block_end(at, (at + MAX_TEXT).min(self.all.len()))
        } else {
            at + 1
        };
        self.found.tasks.push(Task {
            name,
            line: at + 1,
            description,
            text: self.all[at..end].join("\n"),
        });
    }

    /// The line after the block that a line opens: after the `end` with its indentation. Comments and
    /// texts inside may be indented less.
    fn block_end(&self, at: usize, to: usize) -> usize {
        let indent = indent(self.all[at]);
        let to = to.max(at + 1);
        let inside = &self.all[at + 1..to.min(at + 1 + MAX_BLOCK)];
        let closes = |line: &&str| {
            let body = line.trim_start();
            line.len() - body.len() == indent
                && (body.starts_with('}') || ruby::word(body.trim_end()) == "end")
        };
        let closed = inside.iter().position(closes);
        let less = || {
            let deeper = |line: &&&str| line.trim().is_empty() || self::indent(line) > indent;
            inside.iter().take_while(deeper).count()
        };
        match closed {
            Some(lines) => at + 1 + lines + 1,
            None => at + 1 + less(),
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether the block of a line goes on in the next lines.
fn opens_block(line: &str) -> bool {
    let line = line.trim_end();
    let line = match line.rsplit_once('|') {
        Some((before, "")) => before
            .rsplit_once('|')
            .map_or(line, |(it, _)| it.trim_end()),
        _ => line,
    };
    line.ends_with(" do") || line.ends_with('{') || line.ends_with(")do")
}

/// The arguments of a call at the beginning of a line.
fn call<'a>(body: &'a str, word: &str) -> Option<&'a str> {
    let rest = body.strip_prefix(word)?;
    rest.starts_with([' ', '(', '\t'])
        .then(|| rest.trim_start_matches([' ', '(', '\t']))
}

/// The text after a call, wherever on the line it is.
fn after_call<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.match_indices(name).find_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        let begins = before.is_none_or(|it| !it.is_alphanumeric() && !"_:.\"'@$/-".contains(it));
        let after = &line[at + name.len()..];
        (begins && after.starts_with([' ', '('])).then_some(after)
    })
}
