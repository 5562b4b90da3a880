//! The fields of entities as inputs and outputs of operations, generated from the table of types. A
//! new field needs nothing here.

mod arguments;
mod changes;
mod kinds;
mod outputs;
mod properties;
mod sets;

pub use arguments::FieldArguments;
pub use changes::Changes;
pub use outputs::{BriefingValue, FieldOutputs};
pub use properties::PropertyArguments;
pub use sets::{Changed, Discipline, Enriched, Feature, New, PlanType, Task};
