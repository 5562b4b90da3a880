//! Discovery, the allowlist and the policy together, on real folders.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue must fail at once"
)]

mod allowlist;
mod attempts;
mod changes;
mod discovery;
mod fuzz;
mod inputs;
mod own_files;
mod pinned;
mod planted;
mod power;
mod robust;
mod seen_folders;
mod support;
mod syntaxes;
mod tree;
