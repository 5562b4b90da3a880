//! The imports that nearly every operation needs.

pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use windlass_core::{Error, ErrorKind, Result};

pub use crate::arguments::{Id, Number, PriorityWord, TypeName};
pub use crate::context::{Context, ReadContext};
pub use crate::operation::{Declaration, ErrorStyle, Example, Operation, ReadOperation, Toolset};
pub use crate::paging::{Limit, PageInfo, Paging, read_page};
pub use crate::view::{Column, Render, Span, Style, View};
