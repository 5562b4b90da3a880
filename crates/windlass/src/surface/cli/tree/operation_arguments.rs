//! The arguments of an operation on the command line: its own, `--input` in their stead, and `--yes`.

use clap::{Arg, ArgAction, Command, ValueHint};
use windlass_ops::{Effect, Entry};

/// The ids of arguments that are added to operations. The prefix keeps them apart from the fields.
pub const INPUT: &str = "cli-input";
pub const YES: &str = "cli-yes";

pub fn augment(command: Command, entry: &Entry) -> Command {
    let command = entry.augment(command);
    let fields: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().clone())
        .collect();
    // An argument that conflicts with one that was given is not missed, so this also makes the
    // required ones optional beside `--input`.
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
        .help("Do not ask on a terminal; elsewhere nothing is asked")
}
