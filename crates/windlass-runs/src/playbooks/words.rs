//! A caller's value stays one word of a command and does not become an option.

use std::collections::BTreeMap;

use super::playbook::{InstantiateError, Playbook, wrong};
use super::quoting::{VariableUse, variable_uses};
use crate::spec::{Shell, Step};

/// Refuses values of a caller that would become several words, or an option. Defaults are the
/// author's own.
pub fn check_given(
    playbook: &Playbook,
    given: &BTreeMap<String, String>,
) -> Result<(), InstantiateError> {
    let steps = playbook.spec.steps.iter();
    let uses = steps.flat_map(|step| uses(step).into_iter().map(move |each| (step, each)));
    for (step, each) in uses {
        let (name, step) = (&each.name, &step.name);
        let (Some(value), Some(variable)) = (given.get(name), playbook.vars.get(name)) else {
            continue;
        };
        let splits = |letter: char| letter.is_whitespace() || "*?[".contains(letter);
        if !each.quoted && value.contains(splits) {
            let why = format!(
                "the step \"{step}\" uses it without quotes, so the value must not contain spaces, *, ? or \
                 [; quoted as \"${{{name}}}\" in the playbook, it may"
            );
            return Err(wrong(name, why));
        }
        if each.begins_word && value.starts_with('-') && variable.pattern.is_none() {
            let why = format!(
                "the step \"{step}\" could take a value that begins with - for an option; a pattern of the \
                 variable in the playbook can allow it"
            );
            return Err(wrong(name, why));
        }
    }
    Ok(())
}

/// Variables that a shell would split into words: the path of the command, and a message.
pub fn unquoted_uses(playbook: &Playbook) -> impl Iterator<Item = (String, String)> {
    let steps = playbook.spec.steps.iter().enumerate();
    steps.flat_map(|(index, step)| {
        let unquoted = uses(step).into_iter().filter(|each| !each.quoted);
        let mut names: Vec<String> = unquoted.map(|each| each.name).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(move |name| {
            let message = format!(
                "${{{name}}} has no double quotes, so a value with spaces is refused: write \"${{{name}}}\""
            );
            (format!("spec.steps.{index}.command"), message)
        })
    })
}

/// How the command of a step uses variables. PowerShell never splits a value.
fn uses(step: &Step) -> Vec<VariableUse> {
    let mut uses = variable_uses(&step.command);
    if step.shell == Shell::Pwsh {
        for each in &mut uses {
            each.quoted = true;
            each.begins_word = true;
        }
    }
    uses
}
