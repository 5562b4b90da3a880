mod help_get_active;
mod help_list;
mod help_request;
mod help_respond;
mod help_resume;

pub use help_get_active::HelpGetActive;
pub use help_list::HelpList;
pub use help_request::HelpRequest;
pub use help_respond::HelpRespond;
pub use help_resume::HelpResume;
