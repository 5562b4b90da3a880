//! The arguments of an operation on the command line: its own, or `--input` instead, and `--yes`.

use clap::{Arg, ArgAction, Command, ValueHint};
use windlass_ops::{Effect, Entry};

/// The ids of arguments that are added to operations. The prefix distinguishes them from fields.
pub const INPUT: &str = "cli-input";
pub const YES: &str = "cli-yes";

pub fn augment(command: Command, entry: &Entry) -> Command {
    let command = entry.augment(command);
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .collect();
    // clap does not require an argument that conflicts with a given one, so this also makes the
    // required ones optional with `--input`.
    let command = command.arg(input_argument().conflicts_with_all(fields));
    if entry.declaration.effect == Effect::Destructive {
        return command.arg(yes_argument());
    }
    command
}

pub fn input_argument() -> Arg {
    Arg::new(INPUT)
        .long("input")
        .value_name("JSON|@FILE|-")
        .value_hint(ValueHint::Other)
        .help("All arguments as one JSON object: inline, @FILE, or - for standard input")
}

pub fn yes_argument() -> Arg {
    Arg::new(YES)
        .long("yes")
        .short('y')
        .action(ArgAction::SetTrue)
        .help("Do not ask for confirmation; without a terminal nothing is asked")
}
