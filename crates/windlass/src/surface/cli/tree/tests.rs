//! The tree with operations for these tests, and the rules that the real list must follow.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::Result;
use windlass_ops::{
    Context, Declaration, Entry, Example, OPERATIONS, Operation, Render, Toolset, View,
};

use super::*;

/// Add a thing. It is kept
/// until it is removed.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
struct AddInput {
    /// What it is called
    title: String,
    /// How many there are
    #[arg(long, default_value_t = 1)]
    #[serde(default)]
    count: u32,
}

/// Remove a thing.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
struct RemoveInput {
    /// Which one
    id: String,
}

#[derive(Serialize, JsonSchema)]
struct Nothing {}

impl Render for Nothing {
    fn view(&self) -> View {
        View::default()
    }
}

const EXAMPLES: &[Example] = &[Example::new("One of them", &["query", "Don't panic"], "{}")];

struct Add;

impl Operation for Add {
    type Input = AddInput;
    type Output = Nothing;
    const DECLARATION: Declaration = Declaration::write("thing_add", Toolset::Knowledge)
        .cli(&["query"])
        .examples(EXAMPLES);

    async fn run(_context: Context, _input: AddInput) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

struct Remove;

impl Operation for Remove {
    type Input = RemoveInput;
    type Output = Nothing;
    const DECLARATION: Declaration = Declaration::destructive("thing_remove", Toolset::Knowledge)
        .cli(&["graph", "remove"])
        .examples(EXAMPLES);

    async fn run(_context: Context, _input: RemoveInput) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

static LIST: [Entry; 2] = [Entry::act::<Add>(), Entry::act::<Remove>()];
static SAMPLE: &[Entry] = &LIST;

fn words(line: &[&str]) -> Vec<OsString> {
    std::iter::once("windlass")
        .chain(line.iter().copied())
        .map(OsString::from)
        .collect()
}

fn refused(line: &[&str]) -> String {
    parse(SAMPLE, &words(line)).unwrap_err().to_string()
}

/// Everything about a parsed command line but which other commands there are.
fn given(matches: &ArgMatches) -> String {
    let text = format!("{matches:?}");
    let mut parts = text.split("valid_subcommands: [");
    let mut given = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        given += part.split_once(']').map_or("", |(_, rest)| rest);
    }
    given
}

#[test]
fn the_small_tree_parses_like_the_full_one() {
    for line in [
        &["query", "x"][..],
        &["query", "x", "--count", "3", "--json"],
        &["--json", "-C", "/", "query", "graph"],
        &["query", "--input", "{}", "--color=never"],
        &["graph", "remove", "7", "-y"],
        &["graph", "remove", "--input=-", "--yes"],
        &["init", "here"],
        &["mcp", "--read-only", "--cwd", "/"],
        &["exit-codes"],
        &["completions", "fish"],
        &["rm", "7", "8"],
        &["add", "Title", "--tag", "a,b"],
        &["new", "note", "Title"],
        &["call", "task_claim", "--id", "7"],
        &["log", "7", "--limit", "3"],
        &["help", "tasks"],
        &["query"],
        &["query", "x", "--input", "{}"],
        &["graph"],
        &["graph", "remove"],
        &["--help"],
        &["--version"],
        &["graph", "--version"],
        &["nonsense"],
        &[],
    ] {
        let words = words(line);
        let named = build(SAMPLE, Detail::Named(&words)).try_get_matches_from(&words);
        let full = full_for(SAMPLE, &words).try_get_matches_from(&words);
        match (named, full) {
            (Ok(named), Ok(full)) => assert_eq!(given(&named), given(&full), "{line:?}"),
            (Err(_), Err(full)) => {
                let reported = parse(SAMPLE, &words).unwrap_err();
                assert_eq!(reported.kind(), full.kind(), "{line:?}");
            }
            (named, full) => panic!("{line:?}: {named:?} is not {full:?}"),
        }
    }
}

#[test]
fn input_takes_the_place_of_all_arguments() {
    let matches = parse(SAMPLE, &words(&["query", "--input", "{}"])).unwrap();
    let (_, matches) = matches.subcommand().unwrap();
    assert_eq!(matches.get_one::<String>(INPUT).unwrap(), "{}");
    insta::assert_snapshot!(refused(&["query", "x", "--input", "{}"]), @r"
    error: the argument '<TITLE>' cannot be used with '--input <JSON|@FILE|->'

    Usage: windlass query <TITLE>

    For more information, try '--help'.
    ");
}

#[test]
fn a_slip_gets_a_suggestion() {
    insta::assert_snapshot!(refused(&["qury", "x"]), @r"
    error: unrecognized subcommand 'qury'

      tip: did you mean 'windlass query'?

    Usage: windlass [OPTIONS] [COMMAND]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused(&["graph", "remov", "x"]), @r"
    error: unrecognized subcommand 'remov'

      tip: a similar subcommand exists: 'remove'

    Usage: windlass graph [OPTIONS]
           windlass graph [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused(&["query", "x", "--cuont", "2"]), @r"
    error: unexpected argument '--cuont' found

      tip: a similar argument exists: '--count'

    Usage: windlass query --count <COUNT> <TITLE>

    For more information, try '--help'.
    ");
}

fn help(operations: &'static [Entry], line: &[&str]) -> String {
    let words = words(line);
    let tree = full_for(operations, &words).term_width(80);
    let shown = tree.try_get_matches_from(&words).unwrap_err();
    shown.to_string()
}

#[test]
fn help_of_an_operation() {
    insta::assert_snapshot!(help(SAMPLE, &["query", "-h"]), @r#"
    Search with filters: type, status, tag, date

    Usage: windlass query [OPTIONS] <TITLE>

    Arguments:
      <TITLE>  What it is called

    Options:
          --count <COUNT>         How many there are [default: 1]
          --input <JSON|@FILE|->  All arguments as one JSON object: inline, @FILE,
                                  or - for standard input
      -h, --help                  Print help (see more with '--help')

    Global options:
      -C, --cwd <DIR>              Work as if started in DIR
          --json                   Print JSON; errors go to standard error, as JSON
                                   too
          --color <WHEN>           When to use colours: auto, always or never
          --no-pager               Print long output without a pager
          --idempotency-key <KEY>  Make a change once, however often it is repeated

    Examples:
      # One of them
      windlass query "Don't panic"
    "#);
}

#[test]
fn help_of_everything() {
    let text = help(OPERATIONS, &["--help"]);
    for line in text.lines() {
        assert!(line.chars().count() <= overview::WIDTH, "{line}");
    }
    assert!(text.lines().count() <= 76, "one screen");
    insta::assert_snapshot!(text, @r"
    One plan and memory for a repository, its people and its coding agents.

    every day   status       What waits for you, who works on what, what is ready
                ready        Tasks that can be worked on now
                next         The task to do next
                show         Everything about a task or any other entity
                add          Add a task, or a note, decision, link …
                edit         Edit an entity in your editor
                start        Start tasks: in progress, and yours
                done         Finish tasks; where gates apply, submit them
                search       Search all texts, by words and meaning
                log          What changed, by whom and when
                undo         Take back your last change
                board        The tasks in columns, live
                watch        What waits for you and what happens, live
    tasks       tasks        List, create, change, claim, submit, block, comment …
    plan        features     The parts of the product that tasks belong to
                disciplines  The crafts that tasks need
                progress     How far the project is
                recipes      Which tools a kind of session gets
                journal      The files learnings.txt and progress.txt
    knowledge   list         List entities, all or of one type
                get          Read entities as the knowledge tools return them
                update       Change an entity by options
                delete       Delete entities
                batch        Many changes in one transaction
                context      What is known about a topic, within a budget
                query        Search with filters: type, status, tag, date
                graph        What waits for what; paths, orphans, suggestions
                relation     Add or remove relations between entities
                decisions    Replace a decision by a newer one
    repository  commands     The commands that this repository defines
                run          Run a command of the repository
                jobs         What runs and what ran: output, stop
                allow        Allow agents to run a command, file or folder
                deny         Forbid agents to run a command, file or folder
                allowed      What agents may run
                revoke       Take back what was allowed or denied
                runs         Runs of several steps, their logs and artifacts
                playbooks    Stored runs, by name and with variables
    review      reviews      Submitted work: the change, comments, approval
                gates        Checks that work has to pass, and their results
                questions    Questions of agents, and your answers
                learnings    What was learned in a task and below it
                memory       Notes and learnings: do they still hold?
    agents      agents       The agents at work; stop one
                session      Sessions of agents: start, launch, show, end
                setup        Connect an MCP client to this project
                prime        What an agent should know before it begins
                mcp          Serve MCP on standard input and output
                serve        Serve MCP and JSON-RPC over HTTP
                dashboard    Open the dashboard in a browser, as yourself
                exec         Run a script over everything Windlass can do
                sdk          What scripts can call, and their types
                call         Call any tool with its own arguments
    project     init         Make a folder a Windlass project
                tour         Look around in a temporary project, in two minutes
                trust        Take over a state that came from elsewhere
                sync         Exchange changes with other clones, by git
                hook         Let git carry the changes: install, status
                doctor       Check the project and this machine
                logs         What servers logged
                debug        A file for a bug report
                backup       Write a copy of the state to a file
                restore      Bring back a deleted entity, or a copy of the state
                config       Read and change the settings
                models       The model of the search by meaning
                import       Import the plan of another tool
                export       Export everything as JSON, JSON lines or CSV
                snapshot     Write everything as Markdown
                completions  Print the completion script of a shell
                man          Print or write the man pages
                help         Help on a group or a command

    windlass help COMMAND or GROUP says more, with examples. windlass alone: status.
    Every command takes -C DIR, --json, --color WHEN and --no-pager; see exit-codes.
    ");
}

#[test]
fn help_of_the_tasks() {
    insta::assert_snapshot!(help(OPERATIONS, &["tasks", "--help"]), @r"
    List, create, change, claim, submit, block, comment …

    Usage: windlass tasks [OPTIONS] <COMMAND>

    Commands:
      list        List tasks, narrowed by any combination of filters
      ready       Tasks that can be worked on now
      next        The task to do next
      blocked     List blocked tasks and what blocks them, or what blocks one task
      create      Create a task
      update      Change a task
      claim       Claim tasks, so that no other session is given them
      release     Give tasks back, so that others can take them
      start       Start tasks: in progress, and yours
      submit      Submit tasks for review and run their gates
      complete    Finish tasks; where gates apply, submit them
      cancel      Cancel tasks that are not done
      block       Make a task wait for others
      unblock     Let a task no longer wait for others
      comment     Comment on a task
      tree        Show tasks as a tree: milestones, tasks, subtasks
      reschedule  Give a task another due date
      enrich      Enrich a draft task with pseudocode, and promote it to pending
      status      Set the status of a task
      show        Show a task with everything about it

    Options:
      -h, --help  Print help

    Global options:
      -C, --cwd <DIR>              Work as if started in DIR
          --json                   Print JSON; errors go to standard error, as JSON
                                   too
          --color <WHEN>           When to use colours: auto, always or never
          --no-pager               Print long output without a pager
          --idempotency-key <KEY>  Make a change once, however often it is repeated
    ");
}

#[test]
fn the_real_tree_is_sound() {
    full(OPERATIONS).debug_assert();
    let all: Vec<OsString> = OPERATIONS
        .iter()
        .map(|entry| crate::surface::cli::caller::call_name(entry).into())
        .collect();
    full_for(OPERATIONS, &all).debug_assert();
}

#[test]
fn every_noun_and_every_command_says_what_it_is_about() {
    fn check(command: &Command) {
        let about = command.get_about().map(ToString::to_string);
        assert!(
            about.is_some_and(|about| !about.is_empty()),
            "{} is not described",
            command.get_name()
        );
        command.get_subcommands().for_each(check);
    }
    check(&full(OPERATIONS));
}

#[test]
fn every_command_is_in_one_group() {
    let tree = full(OPERATIONS);
    let mut grouped: Vec<&str> = groups::GROUPS
        .iter()
        .flat_map(|group| group.commands)
        .map(|(name, _)| *name)
        .collect();
    let mut there: Vec<&str> = tree.get_subcommands().map(Command::get_name).collect();
    assert_eq!(there, grouped, "in the order of the help");
    grouped.sort_unstable();
    grouped.dedup();
    there.sort_unstable();
    assert_eq!(there, grouped);
}

#[test]
fn every_example_parses() {
    for entry in OPERATIONS {
        for example in entry.declaration.examples {
            let line = if example.cli.is_empty() {
                let input = serde_json::from_str(example.input).unwrap();
                crate::surface::cli::call_words(entry, &input)
            } else {
                example.cli.iter().map(|word| (*word).to_owned()).collect()
            };
            let line: Vec<&str> = line.iter().map(String::as_str).collect();
            if let Err(problem) = parse(OPERATIONS, &words(&line)) {
                panic!("{line:?}: {problem}");
            }
        }
    }
    for own in own_commands() {
        for (_, line) in own.examples {
            let parsed = parse(OPERATIONS, &words(line));
            let help = line.contains(&"--help");
            assert!(parsed.is_ok() || help, "{line:?}: {parsed:?}");
        }
    }
}

/// What people typed without reading the help.
const TYPED: &str = "ready next show status done edit undo board export import config log prime \
    quickstart ls rm new create start stop finish close open reopen assign claim release tag untag \
    note decide decision learn todo task issue epic milestone graph deps block unblock why watch web \
    ui dashboard serve history diff review approve reject gate check test build backup restore sync \
    push pull";

#[test]
fn what_people_type_is_a_command_or_gets_the_right_one() {
    let tree = full(OPERATIONS);
    for word in TYPED.split_whitespace() {
        if tree.find_subcommand(word).is_some() {
            continue;
        }
        let known = guesses::GUESSES.iter().any(|(guess, _)| *guess == word);
        assert!(known, "{word} has no entry in the table of guesses");
    }
}

#[test]
fn every_suggestion_is_a_command() {
    let tree = full(OPERATIONS);
    for (word, instead) in guesses::GUESSES {
        assert!(tree.find_subcommand(word).is_none(), "{word} is a command");
        let mut command = &tree;
        let mut options = Vec::new();
        for part in instead.split_whitespace() {
            match command.find_subcommand(part) {
                Some(below) => command = below,
                None if part.starts_with("--") => options.push(part.trim_start_matches('-')),
                None => {}
            }
        }
        assert_ne!(command.get_name(), "windlass", "{instead}");
        assert!(
            !command.is_subcommand_required_set() || *instead == command.get_name(),
            "{instead}"
        );
        for option in options {
            let global = ["json"].contains(&option);
            let known = command
                .get_arguments()
                .any(|it| it.get_long() == Some(option));
            assert!(known || global, "{instead} has no --{option}");
        }
    }
}
