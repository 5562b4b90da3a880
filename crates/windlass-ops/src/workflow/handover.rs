//! What a submission needs to know about the repository, collected before the write.

use windlass_core::{Entity, Result};
use windlass_store::{EffectiveGate, Reader, Review, Submission, WorkPlace, Writer};

use super::gates;
use crate::context::Context;
use crate::git;

/// Everything that a submission needs besides the task. Commits the work first if the settings
/// request it.
pub struct Handover {
    path: String,
    vcs: Option<&'static str>,
    place: WorkPlace,
    file_gates: Vec<EffectiveGate>,
    phases: windlass_core::workflow::Phases,
}

impl Handover {
    pub fn gather(context: &Context, task: &Entity) -> Result<Self> {
        let root = context.workspace.root();
        let settings = context.workspace.workflow()?;
        if settings.git.commit {
            git::commit_all(root, task)?;
        }
        Ok(Self {
            path: root.display().to_string(),
            vcs: git::is_there(root).then_some("git"),
            place: git::place(root),
            file_gates: gates::file_gates(&context.workspace),
            phases: settings.phases(),
        })
    }

    /// Where the work was handed in.
    pub fn place(&self) -> &WorkPlace {
        &self.place
    }

    /// Whether anything checks the task.
    pub fn has_gates(&self, reader: &Reader<'_>, task: &Entity) -> Result<bool> {
        Ok(!self.file_gates.is_empty() || !reader.effective_gates(&task.id)?.is_empty())
    }

    /// Submits the work. The caller runs the gates of the review afterwards.
    pub fn submit(&self, writer: &Writer<'_>, task: &Entity) -> Result<Review> {
        let repo = writer.register_repo(&self.path, self.vcs)?;
        let submission = Submission {
            repo: repo.id,
            place: self.place.clone(),
            file_gates: self.file_gates.clone(),
            phases: self.phases,
        };
        writer.submit_task(&task.id, &submission)
    }
}
