//! Procfile: the processes of an application, each a line of shell.

use crate::command::{ArgumentStyle, Kind};
use crate::runner::Runner;
use crate::source::{FileContext, Found};

use super::pins;

const NO_ARGUMENTS: &str = "the line of a Procfile is run as it is";

pub fn read(text: &str, context: &FileContext<'_>) -> Found {
    let mut found = Found::default();
    let seal = pins::alone(context);
    for (index, line) in text.lines().enumerate() {
        let Some((name, script)) = line.split_once(':') else {
            continue;
        };
        let plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        let (name, script) = (name.trim_end(), script.trim());
        if name.is_empty() || !name.chars().all(plain) || script.is_empty() || found.has(name) {
            continue;
        }
        let command = context
            .command(Runner::Procfile, name, line)
            .with_args(["-c", script])
            .at(index + 1)
            .described(Some(script))
            .of_kind(Kind::Service)
            .taking(ArgumentStyle::Refused(NO_ARGUMENTS));
        found.push(command, &seal);
    }
    found
}
