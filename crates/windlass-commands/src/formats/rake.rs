//! Rake: tasks with their namespaces, of the Rakefile and of the files that it loads.

use std::collections::HashSet;

use crate::command::ArgumentStyle;
use crate::glob::{self, Wanted};
use crate::paths;
use crate::pinner::Seal;
use crate::runner::Runner;
use crate::source::{FileContext, Found, MAX_INCLUDES};

use super::pins;
use super::rake_lines::{self, Task};
use super::ruby::Lists;

const NO_ARGUMENTS: &str =
    "rake would interpret each further argument as a task, a variable or an option";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut reader = Reader {
        context,
        seal: pins::rake::pin(context),
        lists: Lists::new(),
        visited: HashSet::new(),
        found: Found::default(),
    };
    reader.visited.insert(context.path.to_owned());
    reader.file(context.path, text, 0);
    reader.folder("rakelib", 0);
    reader.found
}

struct Reader<'a> {
    context: &'a FileContext<'a>,
    seal: Seal,
    lists: Lists,
    visited: HashSet<String>,
    found: Found,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, text: &str, depth: usize) {
        let lines = rake_lines::read(text, &mut self.lists);
        for task in lines.tasks {
            self.task(path, task);
        }
        for (_, call, rest) in lines.loads {
            if depth < MAX_INCLUDES {
                self.load(path, call, &rest, depth);
            }
        }
    }

    fn task(&mut self, path: &str, task: Task) {
        if self.found.has(&task.name) {
            return;
        }
        let command = self
            .context
            .command(Runner::Rake, &task.name, &task.text)
            .with_args([&task.name])
            .started_on(0, ["-f", paths::name_of(self.context.path)])
            .defined_in(path)
            .at(task.line)
            .described(task.description)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        self.found.push(command, &self.seal);
    }

    /// The pins report what is loaded by a computed name.
    fn load(&mut self, from: &str, call: &str, rest: &str, depth: usize) {
        match call {
            "load_tasks" => return self.tree("lib/tasks", depth),
            "add_rakelib" => {
                if let Some(written) = pins::rake::quoted(rest) {
                    self.folder(written, depth);
                }
                return;
            }
            _ => {}
        }
        let Some(written) = pins::rake::quoted(rest) else {
            return;
        };
        let own = paths::folder_of(from);
        let (folder, written) = match written.strip_prefix("#{__dir__}/") {
            Some(inner) => (own, inner),
            None if call == "require_relative" || rest.contains("__dir__") => (own, written),
            None => (self.context.folder(), written),
        };
        if glob::is_pattern(written) {
            let found = glob::expand(self.context.source, folder, written, Wanted::Files);
            for path in found.unwrap_or_default() {
                self.open(&path, depth);
            }
            return;
        }
        let Some(path) = paths::resolve(folder, written) else {
            return;
        };
        if !call.starts_with("require") {
            return self.open(&path, depth);
        }
        // What Ruby code requires in turn is the project's code, and not pinned.
        let path = match paths::ending_of(&path) {
            "rb" => path,
            _ => format!("{path}.rb"),
        };
        self.open(&path, MAX_INCLUDES);
    }

    fn open(&mut self, path: &str, depth: usize) {
        if !self.context.source.exists(path) || !self.visited.insert(path.to_owned()) {
            return;
        }
        if let Ok(text) = self.context.source.read(path) {
            self.file(path, &text, depth + 1);
        }
    }

    fn folder(&mut self, written: &str, depth: usize) {
        let Some(folder) = paths::resolve(self.context.folder(), written) else {
            return;
        };
        for name in self.context.source.list(&folder) {
            if paths::ending_of(&name) == "rake" {
                self.open(&paths::join_display(&folder, &name), depth);
            }
        }
    }

    /// What Rails loads.
    fn tree(&mut self, written: &str, depth: usize) {
        let pattern = format!("{written}/**/*.rake");
        let folder = self.context.folder();
        let found = glob::expand(self.context.source, folder, &pattern, Wanted::Files);
        for path in found.unwrap_or_default() {
            self.open(&path, depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, read_alone, rows};

    #[test]
    fn tasks_in_namespaces() {
        let found = read_alone(
            "Rakefile",
            "require 'rake'\r\n`touch never`\r\ndesc 'Run all'\r\ntask default: [:test, 'lint']\r\n\r\nnamespace :db do\r\n  desc \"Migrate, it's safe\"\r\n  task :migrate, [:version] => :environment do |t, args|\r\n    if x\r\n    end\r\n    sh 'x'\r\n  end\r\n  namespace 'test' do\r\n    task 'prepare' do\r\n    end\r\n  end\r\nend\r\ntask(:lint) { sh 'rubocop' }\r\n",
        );
        assert_eq!(
            rows(&found),
            [
                "default | rake default | Run all",
                "db:migrate | rake db:migrate | Migrate, it's safe",
                "db:test:prepare | rake db:test:prepare | -",
                "lint | rake lint | -",
            ]
        );
        assert!(found.commands[1].definition_text.contains("sh 'x'"));
    }

    #[test]
    fn comments_and_computed_names() {
        let found = read_alone(
            "gem/rakefile.rb",
            "# task :no\n=begin\ntask :neither\n=end\ntask \"build_#{name}\" do\nend\ntask name do\nend\ntask :\"é-ok\"\ntask_list = 1\n__END__\ntask :data\n",
        );
        assert_eq!(names(&found), ["é-ok"]);
        assert_eq!(found.commands[0].full_name(), "gem/é-ok");
    }

    #[test]
    fn broken_text_is_safe() {
        assert_eq!(
            names(&read_alone(
                "Rakefile",
                "namespace :a do\n  task :b do\n  desc 'open\n"
            )),
            ["a:b"]
        );
        assert!(names(&read_alone("Rakefile", "")).is_empty());
    }
}
