//! `windlass help`: all commands by group, one line each.

use std::fmt::Write as _;

use clap::builder::styling::Styles;
use clap::{Command, builder::StyledStr};

use super::groups::{GROUPS, Group};

/// The maximum width of a line.
pub const WIDTH: usize = 80;

const FIRST: &str = "One plan and memory for a repository, its people and its coding agents.";

const LAST: &str = "\
windlass help COMMAND or GROUP says more, with examples. windlass alone: status.
Every command takes -C DIR, --json, --color WHEN and --no-pager; see exit-codes.";

/// The command that the last line names, so that everything fits on a screen.
const NAMED_BELOW: &str = "exit-codes";

/// The whole overview.
pub fn overview(styles: &Styles) -> StyledStr {
    let header = styles.get_header();
    let literal = styles.get_literal();
    let mut text = format!("{FIRST}\n\n");
    let widest = widest_name();
    let widest_group = GROUPS.iter().map(|group| group.name.len()).max();
    let widest_group = widest_group.unwrap_or(0);
    for group in GROUPS {
        // The group's name is on the line of its first command, so that everything fits on a
        // screen.
        let mut group_name = group.name;
        let shown = group.commands.iter();
        for (name, about) in shown.filter(|(name, _)| *name != NAMED_BELOW) {
            let _ = writeln!(
                text,
                "{header}{group_name:widest_group$}{header:#}  {literal}{name:widest$}{literal:#}  {about}"
            );
            group_name = "";
        }
    }
    let _ = write!(text, "\n{LAST}\n");
    text.into()
}

/// One group with the commands below its nouns.
pub fn of_group(group: &Group, tree: &Command) -> StyledStr {
    let styles = tree.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = format!("{header}{}{header:#}\n", capitalised(group.name));
    let mut rows: Vec<(String, String)> = Vec::new();
    for (name, about) in group.commands {
        let Some(command) = tree.find_subcommand(name) else {
            continue;
        };
        let below: Vec<&Command> = command
            .get_subcommands()
            .filter(|below| !below.is_hide_set())
            .collect();
        rows.push(((*name).to_owned(), (*about).to_owned()));
        for below in below {
            let about = below.get_about().map(ToString::to_string);
            let name = format!("{name} {}", below.get_name());
            rows.push((name, about.unwrap_or_default()));
        }
    }
    let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in rows {
        let about = cut(&about, WIDTH.saturating_sub(widest + 4));
        let _ = writeln!(text, "  {literal}{name:widest$}{literal:#}  {about}");
    }
    text.push_str("\nwindlass help COMMAND [SUBCOMMAND] shows more.\n");
    text.into()
}

fn widest_name() -> usize {
    let names = GROUPS.iter().flat_map(|group| group.commands);
    names.map(|(name, _)| name.len()).max().unwrap_or(0)
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
