//! What decides what a command runs, one module for each format. A format that is a program is
//! pinned as whole files; of a format that is data, the parts that decide, in canonical form. What a
//! runner reads besides its definitions is a declared list.
//!
//! What commands then execute by themselves (sources, installed packages, scripts of the repository
//! that a recipe calls) is the project's own code and not pinned.

pub mod actions;
pub mod bazel;
pub mod cargo;
pub mod cmake;
pub mod compose;
pub mod composer;
pub mod deno;
pub mod gradle;
pub mod hooks;
pub mod just;
pub mod make;
mod make_calls;
pub mod make_names;
pub mod maven;
pub mod mise;
pub mod moon;
pub mod nox;
pub mod nx;
pub mod packages;
pub mod pixi;
pub mod pyproject;
pub mod rake;
pub mod script;
pub mod taskfile;
pub mod tox;
pub mod turbo;
mod workspace;

use crate::decides::Decides;
use crate::pinner::{Pinner, Seal};
use crate::runner::Runner;
use crate::source::FileContext;

/// The files that decide for a runner besides its definitions and what these name.
pub const fn declared(runner: Runner) -> &'static [Decides] {
    match runner {
        Runner::Npm | Runner::Pnpm | Runner::Yarn | Runner::Bun => packages::declared(runner),
        Runner::Uv | Runner::Poetry | Runner::Pdm | Runner::Hatch | Runner::Poe | Runner::Rye => {
            pyproject::declared(runner)
        }
        Runner::Task => taskfile::DECLARED,
        Runner::Turbo => turbo::DECLARED,
        Runner::Maven => maven::DECLARED,
        Runner::Gradle => gradle::DECLARED,
        Runner::Act => actions::DECLARED,
        Runner::DockerCompose => compose::DECLARED,
        Runner::Cmake => cmake::DECLARED,
        Runner::Cargo => cargo::DECLARED,
        Runner::Mise => mise::DECLARED,
        Runner::Deno => deno::DECLARED,
        Runner::Composer => composer::DECLARED,
        Runner::Rake => rake::DECLARED,
        Runner::Pixi => pixi::DECLARED,
        Runner::Tox => tox::DECLARED,
        Runner::Nox => nox::DECLARED,
        Runner::Moon => moon::DECLARED,
        Runner::Nx => nx::DECLARED,
        Runner::Bazel => bazel::DECLARED,
        Runner::Lefthook => hooks::LEFTHOOK,
        Runner::PreCommit => hooks::PRE_COMMIT,
        Runner::Make
        | Runner::Just
        | Runner::Travis
        | Runner::Shell
        | Runner::Node
        | Runner::VsCode
        | Runner::Procfile => &[],
    }
}

/// The pin of a definition that is one file and reads no other.
pub fn alone(context: &FileContext<'_>) -> Seal {
    let mut pinner = Pinner::new(context);
    pinner.whole(context.path);
    pinner.seal()
}
