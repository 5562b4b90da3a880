mod repo_get;
mod repo_get_by_path;
mod repo_list;
mod repo_register;
mod repo_unregister;

pub use repo_get::RepoGet;
pub use repo_get_by_path::RepoGetByPath;
pub use repo_list::RepoList;
pub use repo_register::RepoRegister;
pub use repo_unregister::RepoUnregister;
