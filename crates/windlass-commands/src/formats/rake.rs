//! Rake: tasks with their namespaces, parsed line by line.

use crate::command::ArgumentStyle;
use crate::paths;
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str =
    "rake would interpret each further argument as a task, a variable or an option";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let seal = pins::rake::pin(context);
    let rakefile = paths::name_of(context.path);
    let mut spaces: Vec<(usize, String)> = Vec::new();
    let mut description: Option<String> = None;
    let mut comment = false;
    for (index, line) in text.lines().enumerate() {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        comment = match line.trim_end() {
            "=begin" => true,
            "=end" => false,
            "__END__" => break,
            _ => comment,
        };
        if comment {
            continue;
        }
        if body.trim_end() == "end" {
            spaces.retain(|(depth, _)| *depth < indent);
        } else if let Some(rest) = call(body, "namespace") {
            spaces.extend(name(rest).map(|name| (indent, name)));
        } else if let Some(rest) = call(body, "desc") {
            description = quoted(rest);
        } else if let Some(name) = call(body, "task").and_then(name) {
            let outer = spaces.iter().map(|(_, space)| space.as_str());
            let name = outer.chain([name.as_str()]).collect::<Vec<_>>().join(":");
            if !found.has(&name) {
                let command = context
                    .command(Runner::Rake, &name, &block(text, index))
                    .with_args([&name])
                    .started_on(0, ["-f", rakefile])
                    .at(index + 1)
                    .described(description.take())
                    .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
                found.push(command, &seal);
            }
        }
    }
    found
}

fn call<'a>(body: &'a str, word: &str) -> Option<&'a str> {
    let rest = body.strip_prefix(word)?;
    rest.starts_with([' ', '('])
        .then(|| rest.trim_start_matches([' ', '(']))
}

/// The name in `:name`, `"name"`, `name: [...]` or `:name => …`.
fn name(text: &str) -> Option<String> {
    if text.starts_with(['"', '\'']) {
        return quoted(text).filter(|name| !name.contains("#{"));
    }
    let symbol = text.starts_with(':');
    let text = text.trim_start_matches(':').trim_start_matches('"');
    let end = text
        .find(|letter: char| !letter.is_alphanumeric() && !"_?!-".contains(letter))
        .unwrap_or(text.len());
    let named = symbol || text[end..].starts_with(':');
    (end > 0 && named).then(|| text[..end].to_owned())
}

fn quoted(text: &str) -> Option<String> {
    let quote = text
        .chars()
        .next()
        .filter(|letter| ['"', '\''].contains(letter))?;
    let inner = &text[1..];
    Some(inner[..inner.find(quote)?].to_owned())
}

/// The line and all following lines with deeper indentation, up to its `end`.
fn block(text: &str, start: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().skip(start);
    let Some(first) = lines.next() else {
        return String::new();
    };
    let mut out = first.to_owned();
    if first.trim_end().ends_with(['d', '|', '{', ',', '\\']) {
        for line in lines {
            out.push('\n');
            out.push_str(line);
            if !line.trim().is_empty() && indent(line) <= indent(first) {
                break;
            }
        }
    }
    out
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
