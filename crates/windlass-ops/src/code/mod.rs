//! Toolset `code`: scripts that can call every operation, and the description of what they can call.

mod answer;
mod call_handler;
mod describe;
mod execute;
mod intents;
mod scripts;
mod sdk;
mod search;
mod typescript;

pub use describe::Describe;
pub use execute::Execute;
pub use scripts::{Scripts, check_script_jail};
pub use sdk::declarations as sdk_declarations;
pub use sdk::method_name as sdk_method_name;
