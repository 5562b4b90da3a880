//! What nearly every operation names.

pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use windlass_core::{Error, ErrorKind, Result};

pub use crate::arguments::{Id, Number, PriorityWord, TypeName};
pub use crate::context::{Context, ReadContext};
pub use crate::operation::{Declaration, ErrorStyle, Example, Operation, ReadOperation, Toolset};
pub use crate::paging::{Limit, PageInfo, read_page};
pub use crate::view::{Column, Render, Span, Style, View};
