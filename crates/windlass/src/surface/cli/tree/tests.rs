//! The tree on operations made for these tests, and the rules that the real list must keep.

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

const EXAMPLES: &[Example] = &[Example::new("One of them", &["add", "Don't panic"], "{}")];

struct Add;

impl Operation for Add {
    type Input = AddInput;
    type Output = Nothing;
    const DECLARATION: Declaration = Declaration::write("thing_add", Toolset::Knowledge)
        .cli(&["add"])
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

#[test]
fn the_small_tree_parses_like_the_full_one() {
    for line in [
        &["add", "x"][..],
        &["add", "x", "--count", "3", "--json"],
        &["--json", "-C", "/", "add", "graph"],
        &["add", "--input", "{}", "--color=never"],
        &["graph", "remove", "7", "-y"],
        &["graph", "remove", "--input=-", "--yes"],
        &["init", "here"],
        &["mcp", "--read-only", "--cwd", "/"],
        &["exit-codes"],
        &["completions", "fish"],
        &["add"],
        &["add", "x", "--input", "{}"],
        &["graph"],
        &["graph", "remove"],
        &["--help"],
        &["help", "add"],
        &[],
    ] {
        let words = words(line);
        let named = build(SAMPLE, Detail::Named(&words)).try_get_matches_from(&words);
        let full = full(SAMPLE).try_get_matches_from(&words);
        match (named, full) {
            (Ok(named), Ok(full)) => assert_eq!(named, full, "{line:?}"),
            (Err(named), Err(full)) => assert_eq!(named.kind(), full.kind(), "{line:?}"),
            (named, full) => panic!("{line:?}: {named:?} is not {full:?}"),
        }
    }
}

#[test]
fn input_takes_the_place_of_all_arguments() {
    let matches = parse(SAMPLE, &words(&["add", "--input", "{}"])).unwrap();
    let (_, matches) = matches.subcommand().unwrap();
    assert_eq!(matches.get_one::<String>(INPUT).unwrap(), "{}");
    insta::assert_snapshot!(refused(&["add", "x", "--input", "{}"]), @r"
    error: the argument '<TITLE>' cannot be used with '--input <JSON|@FILE|->'

    Usage: windlass add <TITLE>

    For more information, try '--help'.
    ");
}

#[test]
fn a_slip_gets_a_suggestion() {
    insta::assert_snapshot!(refused(&["ad", "x"]), @r"
    error: unrecognized subcommand 'ad'

      tip: a similar subcommand exists: 'add'

    Usage: windlass [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused(&["add", "x", "--cuont", "2"]), @r"
    error: unexpected argument '--cuont' found

      tip: a similar argument exists: '--count'

    Usage: windlass add --count <COUNT> <TITLE>

    For more information, try '--help'.
    ");
}

#[test]
fn help_of_an_operation() {
    let help = |line: &[&str]| {
        let tree = full(SAMPLE).term_width(100);
        let shown = tree.try_get_matches_from(words(line)).unwrap_err();
        shown.to_string()
    };
    insta::assert_snapshot!(help(&["add", "-h"]), @r#"
    Add a thing

    Usage: windlass add [OPTIONS] <TITLE>

    Arguments:
      <TITLE>  What it is called

    Options:
          --count <COUNT>         How many there are [default: 1]
          --input <JSON|@FILE|->  All arguments as one JSON object: inline, @FILE, or - for standard
                                  input
      -h, --help                  Print help (see more with '--help')

    Global options:
      -C, --cwd <DIR>     Work as if started in DIR
          --json          Print JSON: answers to standard output, errors to standard error
          --color <WHEN>  When to use colours: auto, always or never

    Examples:
      # One of them
      windlass add "Don't panic"
    "#);
    insta::assert_snapshot!(help(&["--help"]), @r"
    Makes a repository workable by coding agents: one plan and memory for people and agents

    Usage: windlass [OPTIONS] <COMMAND>

    Commands:
      init         Make a folder a Windlass project
      add          Add a thing
      graph        How entities relate: neighbours, paths, orphans
      mcp          Serve the project to an agent: MCP on standard input and output
      serve        Serve the project over HTTP: MCP at /mcp, plain JSON-RPC at /
      setup        Have an MCP client start windlass on this project
      doctor       Look at everything that a project needs, and say what to do
      completions  Print the completion script of a shell
      exit-codes   Explain the exit codes
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
      -C, --cwd <DIR>     Work as if started in DIR
          --json          Print JSON: answers to standard output, errors to standard error
          --color <WHEN>  When to use colours: auto, always or never

    Every command that calls an operation also takes its arguments as JSON (--input).
    Examples: windlass help <command>. Exit codes: windlass exit-codes.
    ");
}

#[test]
fn the_real_tree_is_sound() {
    full(OPERATIONS).debug_assert();
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
fn every_example_parses() {
    for entry in OPERATIONS {
        for example in entry.declaration.examples {
            let words = words(example.cli);
            if let Err(problem) = parse(OPERATIONS, &words) {
                panic!("{}: {problem}", quote::command_line(example.cli));
            }
        }
    }
}
