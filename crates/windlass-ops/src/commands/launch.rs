//! Starting a command interactively: a person sees it and may allow it immediately.

use std::sync::Arc;

use windlass_commands::allowlist::{GrantedText, Reason};
use windlass_core::{Actor, Error, ErrorKind, Result};
use windlass_process::{JobHandle, OutputSink};

use super::allowlist_allow::ScopeName;
use super::allowlist_deny::deny;
use super::allowlist_file::list_to_change;
use super::grant_plan::GrantPlan;
use super::grants::Target;
use super::pinned_view::files_view;
use super::start::{self, Candidate, Plan, Wish};
use super::wishes;
use crate::context::Context;
use crate::view::{Span, Style, View};

/// A command that is about to be started.
pub struct Launch {
    context: Context,
    candidate: Candidate,
    wish: Wish,
    plan: Plan,
    allowed_once: bool,
}

/// A person's decision whether a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Allow this start only.
    Once,
    /// Allow the command with its current definition.
    Command,
    /// All commands of its file.
    File,
    /// All commands of its folder and below.
    Directory,
    /// Never.
    Deny,
}

impl Launch {
    /// Finds the command and checks everything except whether it is allowed.
    pub fn prepare(context: Context, mut wish: Wish) -> Result<Self> {
        wish.at_terminal = context.origin.actor == Actor::Human;
        let candidate = start::look_up(&context, &wish.unique_name)?;
        if !may_ask(&context, &candidate)
            && let Err(refused) = candidate.check_allowed()
        {
            wishes::keep(&context, &candidate.command, &wish);
            return Err(refused);
        }
        candidate.check_available()?;
        let plan = candidate.plan(&context, &wish)?;
        Ok(Self {
            context,
            candidate,
            wish,
            plan,
            allowed_once: false,
        })
    }

    /// Why a person must be asked; none if it is already allowed.
    pub fn question(&self) -> Option<String> {
        let decision = &self.candidate.decision;
        (!decision.allowed && !self.allowed_once).then(|| decision.reason.message())
    }

    /// What would be executed.
    pub fn command(&self) -> String {
        self.plan.invocation.display()
    }

    /// File and line of the definition.
    pub fn place(&self) -> String {
        let command = &self.candidate.command;
        format!("{}:{}", command.file, command.line)
    }

    /// Everything that decides what it runs, or what changed in it since it was allowed, for a person
    /// to read before allowing it.
    pub fn view(&self) -> View {
        if let Ok(plan) = self.grant_plan(ScopeName::Task) {
            return plan.view();
        }
        // What cannot be pinned is shown as far as it can be read.
        let command = &self.candidate.command;
        let why = command.pins.unreadable.join("; ");
        let note = format!("Not everything that decides can be read: {why}");
        files_view(&[GrantedText::of(command, String::new())])
            .blank()
            .line([Span::new(note, Style::Warning)])
    }

    /// Whether the command can be allowed with its text.
    pub fn can_be_pinned(&self) -> bool {
        self.candidate.command.pins.unreadable.is_empty()
    }

    /// What a choice would write, for a person to look at; nothing if it writes no grant.
    pub fn grant_of(&self, choice: Choice) -> Result<Option<GrantPlan>> {
        let scope = match choice {
            Choice::Once | Choice::Deny => return Ok(None),
            Choice::Command => ScopeName::Task,
            Choice::File => ScopeName::File,
            Choice::Directory => ScopeName::Directory,
        };
        self.grant_plan(scope).map(Some)
    }

    fn grant_plan(&self, scope: ScopeName) -> Result<GrantPlan> {
        let file = self.list("allow")?;
        GrantPlan::of(
            self.context.clone(),
            file,
            &self.target(),
            Some(scope),
            true,
        )
    }

    fn target(&self) -> Target {
        let command = self.candidate.command.clone();
        let file = self.context.workspace.root().join(&command.file);
        // An entry about a link would grant nothing.
        let file = file.canonicalize().unwrap_or(file);
        Target::Command(Box::new(command), file)
    }

    /// Carries out the person's decision; `plan` is what they saw of it.
    pub fn choose(&mut self, choice: Choice, plan: Option<&GrantPlan>) -> Result<()> {
        if self.context.origin.actor != Actor::Human {
            return self.candidate.check_allowed();
        }
        match choice {
            Choice::Once => {
                self.allowed_once = true;
                return Ok(());
            }
            Choice::Deny => {
                deny(&self.context, &self.list("deny")?, &self.target())?;
                return Err(Error::new(
                    ErrorKind::NotAllowlisted,
                    format!("'{}' is denied from now on", self.wish.unique_name),
                ));
            }
            Choice::Command | Choice::File | Choice::Directory => {}
        }
        if let Some(plan) = plan {
            plan.carry_out()?;
        }
        let workspace = &self.context.workspace;
        let allowlist = workspace.allowlist();
        self.candidate.decision = allowlist.decide(workspace.root(), &self.candidate.command);
        Ok(())
    }

    /// The list that the person's decision is kept in.
    fn list(&self, word: &str) -> Result<std::path::PathBuf> {
        list_to_change(&self.context, false, &[word, &self.wish.unique_name])
    }

    /// Starts it. The definition is read again: a person may take a while to decide.
    pub async fn start(self, sink: Arc<dyn OutputSink>) -> Result<JobHandle> {
        let now = start::look_up_to_start(&self.context, &self.wish.unique_name)?;
        if self.allowed_once {
            if now.command.fingerprint != self.candidate.command.fingerprint {
                return Err(Error::new(
                    ErrorKind::NotAllowlisted,
                    format!(
                        "The definition of '{}' has just changed",
                        self.wish.unique_name
                    ),
                )
                .with_hint("Run it again to see what it is now."));
            }
        } else {
            now.check_allowed()?;
        }
        let plan = now.plan(&self.context, &self.wish)?;
        let (job, _) = start::start(&self.context, now, plan, &self.wish, Some(sink)).await?;
        Ok(job)
    }
}

/// A person may allow a command without an entry or with a changed definition, but not a denied one.
fn may_ask(context: &Context, candidate: &Candidate) -> bool {
    let open = matches!(
        candidate.decision.reason,
        Reason::NotListed
            | Reason::Changed
            | Reason::NotIncluded
            | Reason::Unpinnable(_)
            | Reason::Granted(_)
    );
    context.origin.actor == Actor::Human && open
}
