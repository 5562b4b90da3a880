//! The record of a run, its states, and the outputs created from it.

mod clock;
mod external;
mod failure;
mod run;
mod status;
mod step;
mod views;
mod wire;

pub use clock::RunClock;
pub use external::External;
pub use failure::{Failure, FailureKind};
pub use run::{NewRun, RunRecord, WrongTransition};
pub use status::{RunStatus, StepStatus};
pub use step::{ArtifactKind, ArtifactRecord, StepRecord};
pub use views::{CreatedRun, CreatedStep, ExecutedRun, FullRun, RunState};

pub(crate) use step::StepEnd;
