//! The surfaces of Windlass: the command line and MCP. No SQL, no Loro, no rules of the domain.

pub mod surface;
