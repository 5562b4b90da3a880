//! Packs of changes between clones: folders that git carries, and object storage.

pub mod claims;
pub mod folder;
pub mod remote;
