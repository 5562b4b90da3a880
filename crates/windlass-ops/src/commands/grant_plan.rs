//! What `windlass allow` is about to write: shown to a person first, and then written exactly as it
//! was shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use windlass_commands::Command;
use windlass_commands::allowlist::{self, GrantedText, Scope};
use windlass_core::{Error, ErrorKind, Result, Timestamp};

use super::allowlist_allow::{Granted, Input, ScopeName};
use super::allowlist_file::list_to_change;
use super::grants::{Target, edit_error};
use super::pinned_view::{diff_view, difference, files_view};
use crate::context::Context;
use crate::pipeline::explained;
use crate::view::{Column, Span, Style, View};

pub struct GrantPlan {
    context: Context,
    /// The list that it goes to.
    file: PathBuf,
    path: PathBuf,
    scope: Scope,
    pinned: bool,
    /// What it covers, as it is now.
    covered: Vec<Arc<Command>>,
    /// Commands of the file that cannot be pinned.
    left_out: Vec<Arc<Command>>,
    /// What the person saw when they allowed the same before, if it has changed since.
    before: Vec<GrantedText>,
}

impl GrantPlan {
    /// Only a person may ask for one.
    pub fn prepare(context: Context, input: &Input) -> Result<Self> {
        context
            .check_audience(&<super::Allow as crate::operation::Operation>::DECLARATION)
            .map_err(|refused| explained(refused, context.not_a_person.as_deref()))?;
        let target = Target::find(&context, &input.target)?;
        target.check_unchanged(input.fingerprint.as_deref())?;
        let file = list_to_change(&context, input.system, &["allow", &input.target])?;
        Self::of(context, file, &target, input.scope, !input.no_pin)
    }

    pub(super) fn of(
        context: Context,
        file: PathBuf,
        target: &Target,
        scope: Option<ScopeName>,
        pin: bool,
    ) -> Result<Self> {
        let (path, scope) = place(target, scope)?;
        let mut plan = Self {
            covered: covered(&context, target, &path, scope)?,
            context,
            file,
            pinned: scope != Scope::Directory && (pin || scope == Scope::File),
            path,
            scope,
            left_out: Vec::new(),
            before: Vec::new(),
        };
        if !pin && (scope == Scope::File || matches!(target, Target::Text(..))) {
            return Err(Error::validation(
                "no_pin",
                "can be used for one command only",
            ));
        }
        if plan.pinned {
            plan.leave_out_unpinnable()?;
            plan.before = plan.granted_before()?;
        }
        Ok(plan)
    }

    /// What cannot be read cannot be pinned, and what is not pinned needs another kind of grant.
    fn leave_out_unpinnable(&mut self) -> Result<()> {
        let all = std::mem::take(&mut self.covered);
        (self.covered, self.left_out) = all
            .into_iter()
            .partition(|command| command.pins.unreadable.is_empty());
        let Some(first) = self.left_out.first().filter(|_| self.covered.is_empty()) else {
            return Ok(());
        };
        let why = first.pins.unreadable.join("; ");
        let name = &first.unique_name;
        let folder = self.path.parent().unwrap_or(&self.path);
        Err(Error::new(
            ErrorKind::NotAllowlisted,
            format!("'{name}' cannot be allowed with its text: {why}"),
        )
        .with("unique_name", name.as_str())
        .with("reason", why)
        .with_hint(format!(
            "A grant without pins covers it, whatever its files say later: [[allowlist_allow]] with \
             --no-pin, or for its whole folder {}.",
            folder.display()
        )))
    }

    /// What earlier entries about the same commands are pinned to, if that is not what it is now.
    fn granted_before(&self) -> Result<Vec<GrantedText>> {
        let entries = self.context.workspace.allowlist().entries();
        let entries = entries.map_err(|problem| edit_error(problem.into()))?;
        let names: Vec<&str> = self.covered.iter().map(|it| it.name.as_str()).collect();
        let now = |fingerprint: &str| self.covered.iter().any(|it| it.fingerprint == fingerprint);
        let about = entries.iter().filter(|(file, entry)| {
            *file == self.file
                && entry.path == self.path
                && matches!(entry.scope, Scope::Task | Scope::File)
        });
        let pins = about.flat_map(|(_, entry)| entry.pins.iter().flatten());
        let fingerprints = pins
            .filter(|(name, _)| names.contains(&name.as_str()))
            .flat_map(|(_, pin)| &pin.0);
        let old = fingerprints.filter(|fingerprint| !now(fingerprint));
        Ok(old
            .filter_map(|fingerprint| GrantedText::read(&self.file, fingerprint))
            .collect())
    }

    /// Everything that a person should see before they say yes.
    pub fn view(&self) -> View {
        let mut view = self.commands_view();
        for command in &self.left_out {
            let why = command.pins.unreadable.join("; ");
            view = view.line([
                Span::new("Not covered: ", Style::Warning),
                Span::from(format!("{} cannot be pinned: {why}", command.unique_name)),
            ]);
        }
        if !self.pinned {
            let how_long = match self.scope {
                Scope::Directory => {
                    "Nothing is pinned: it also covers what these files say later, and every command \
                     that is added below this folder."
                }
                _ => "Nothing is pinned: it also covers what its files say later.",
            };
            view = view.blank().line([Span::new(how_long, Style::Warning)]);
        }
        if self.scope == Scope::Directory {
            return view;
        }
        let now = self.texts();
        if self.before.is_empty() {
            return view.join(files_view(&now)).blank();
        }
        view = view.blank().line([Span::new(
            "You have allowed this before. It has changed since:",
            Style::Strong,
        )]);
        for (old, new) in self.other_command_lines(&now) {
            view = view.line([Span::from(format!(
                "It was run as: {old}, and is now: {new}"
            ))]);
        }
        view.join(diff_view(&difference(&self.before, &now)))
            .blank()
    }

    fn commands_view(&self) -> View {
        if let (Scope::Task, [command]) = (self.scope, self.covered.as_slice()) {
            return View::default().line([
                Span::new(command.unique_name.clone(), Style::Strong),
                Span::from(format!(" runs {}", command.display())),
                Span::new(format!(" ({}:{})", command.file, command.line), Style::Dim),
            ]);
        }
        let path = self.shown_path();
        let view = match self.covered.len() {
            0 => return View::default().line([Span::from(format!("{path} has no commands now."))]),
            1 => View::default().line([Span::from(format!("{path} has 1 command now:"))]),
            count => {
                View::default().line([Span::from(format!("{path} has {count} commands now:"))])
            }
        };
        let rows = self.covered.iter().map(|command| {
            vec![
                Span::new(command.unique_name.clone(), Style::Strong),
                Span::from(command.file.clone()),
                Span::from(command.display()),
            ]
        });
        let columns = vec![
            Column::new("NAME"),
            Column::new("FILE"),
            Column::new("RUNS").shrinking(),
        ];
        view.table(columns, rows.collect())
    }

    fn other_command_lines(&self, now: &[GrantedText]) -> Vec<(String, String)> {
        match (self.before.as_slice(), now) {
            ([old], [new]) if old.command != new.command => {
                vec![(old.command.clone(), new.command.clone())]
            }
            _ => Vec::new(),
        }
    }

    /// One sentence about what a yes means.
    pub fn question(&self) -> String {
        let what = match (self.scope, self.covered.as_slice()) {
            (Scope::Task, [command]) => command.unique_name.clone(),
            (Scope::File, commands) => format!("{} of {}", counted(commands), self.shown_path()),
            _ => format!("everything below {}", self.shown_path()),
        };
        let what = if self.pinned {
            format!("{what} as shown")
        } else {
            what
        };
        format!("Allow agents to run {what}?")
    }

    fn shown_path(&self) -> String {
        let root = self.context.workspace.root();
        match self.path.strip_prefix(root) {
            Ok(path) if path.as_os_str().is_empty() => "The project".to_owned(),
            Ok(path) => path.display().to_string(),
            Err(_) => self.path.display().to_string(),
        }
    }

    fn texts(&self) -> Vec<GrantedText> {
        let now = Timestamp::now().to_string();
        let commands = self.covered.iter();
        commands
            .map(|command| GrantedText::of(command, now.clone()))
            .collect()
    }

    /// Writes the entry, and records the change in the history.
    pub fn carry_out(&self) -> Result<Granted> {
        let mut tasks: Vec<(String, Option<String>)> = Vec::new();
        if self.scope != Scope::Directory {
            for command in &self.covered {
                let pin = self.pinned.then(|| command.fingerprint.clone());
                tasks.push((command.name.clone(), pin));
            }
        }
        if self.pinned && self.scope == Scope::Task {
            tasks.extend(self.twins()?);
        }
        let texts = if self.pinned {
            self.texts()
        } else {
            Vec::new()
        };
        allowlist::grant(&self.file, &self.path, self.scope, &tasks, &texts).map_err(edit_error)?;
        let mut names: Vec<String> = tasks.into_iter().map(|(name, _)| name).collect();
        names.dedup();
        let granted = Granted {
            path: self.path.display().to_string(),
            scope: self.scope.name().to_owned(),
            pinned: self.pinned,
            tasks: names,
            allowlist: self.file.display().to_string(),
        };
        let payload = json!({"change": "allow", "path": granted.path, "scope": granted.scope, "tasks": granted.tasks});
        self.context
            .write(|writer| writer.allowlist_changed(&payload))?;
        Ok(granted)
    }

    /// Where two files include the same one, its commands exist twice under one name: the grant of
    /// the other one stays.
    fn twins(&self) -> Result<Vec<(String, Option<String>)>> {
        let commands = self.context.workspace.discovery()?.discover();
        let decisions = self.context.workspace.allowlist().decide_all(&commands);
        let twin = |command: &Command| {
            let mut own = self.covered.iter();
            own.any(|it| {
                it.file == command.file
                    && it.name == command.name
                    && it.fingerprint != command.fingerprint
                    && it.unique_name != command.unique_name
            })
        };
        let others = commands.commands.iter().zip(decisions);
        Ok(others
            .filter(|(command, decision)| {
                let entry = decision.entry.as_ref();
                let pinned = entry.is_some_and(|(_, entry)| {
                    entry.scope == Scope::Task && entry.pin(&command.name).is_some()
                });
                decision.allowed && pinned && twin(command)
            })
            .map(|(command, _)| (command.name.clone(), Some(command.fingerprint.clone())))
            .collect())
    }
}

fn counted(commands: &[Arc<Command>]) -> String {
    match commands.len() {
        1 => "the command".to_owned(),
        count => format!("the {count} commands"),
    }
}

/// What the entry is about.
fn place(target: &Target, scope: Option<ScopeName>) -> Result<(PathBuf, Scope)> {
    let path = target.path();
    let mismatch = |wanted: &str| {
        Err(Error::validation(
            "scope",
            format!("{wanted} cannot be used for {}", path.display()),
        ))
    };
    let folder = path.parent().unwrap_or(path).to_owned();
    Ok(match (target, scope) {
        (Target::Command(..) | Target::Text(..), None | Some(ScopeName::Task)) => {
            (path.to_owned(), Scope::Task)
        }
        // A file of Windlass itself is allowed by its exact text, and never together with others.
        (Target::Text(..), Some(ScopeName::File)) => return mismatch("file"),
        (Target::Text(..), Some(ScopeName::Directory)) => return mismatch("directory"),
        (Target::File(_) | Target::Folder(_), Some(ScopeName::Task)) => return mismatch("task"),
        (Target::Folder(_), Some(ScopeName::File)) => return mismatch("file"),
        (Target::Folder(path), _) => (path.clone(), Scope::Directory),
        (_, Some(ScopeName::Directory)) => (folder, Scope::Directory),
        (_, _) => (path.to_owned(), Scope::File),
    })
}

/// The commands that an entry covers now.
fn covered(
    context: &Context,
    target: &Target,
    path: &Path,
    scope: Scope,
) -> Result<Vec<Arc<Command>>> {
    if let (Scope::Task, Target::Command(command, _) | Target::Text(command, _)) = (scope, target) {
        return Ok(vec![Arc::new(command.as_ref().clone())]);
    }
    let commands = context.workspace.discovery()?.discover();
    let within = |command: &Arc<Command>| {
        let file = commands.root.join(&command.file).canonicalize();
        file.is_ok_and(|file| match scope {
            Scope::Directory => file.starts_with(path),
            _ => file == path,
        })
    };
    let mut covered: Vec<Arc<Command>> = commands.commands.clone();
    covered.retain(within);
    if covered.is_empty() && scope == Scope::File {
        return Err(
            Error::validation("target", format!("{} defines no command", path.display()))
                .with_hint("[[commands.list_tasks]] shows all commands, with their files."),
        );
    }
    Ok(covered)
}
