//! The project's `config.toml`.

use serde::Deserialize;
use windlass_core::{Error, ErrorKind, Result, nearest};

use crate::operation::Toolset;

/// What a person set for the project. Everything is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub mcp: McpConfig,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// The toolsets that a server has without being asked.
    pub toolsets: Option<Vec<String>>,
}

impl Config {
    /// Reads the text of the file. `name` is the path that an error shows.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let config: Self = toml::from_str(text).map_err(|problem| {
            let start = problem.span().map_or(0, |span| span.start);
            let line = text[..start].matches('\n').count() + 1;
            Error::new(
                ErrorKind::InvalidConfig,
                format!("{name}, line {line}: {}", problem.message()),
            )
            .with("file", name)
            .with("line", line)
        })?;
        if let Some(toolsets) = &config.mcp.toolsets {
            parse_toolsets(toolsets)?;
        }
        Ok(config)
    }
}

/// Toolsets by name; `all` stands for all of them.
pub fn parse_toolsets<T: AsRef<str>>(names: &[T]) -> Result<Vec<Toolset>> {
    let mut toolsets: Vec<Toolset> = Vec::new();
    for name in names {
        let name = name.as_ref().trim();
        let found: Vec<Toolset> = Toolset::ALL
            .iter()
            .copied()
            .filter(|toolset| name == "all" || toolset.name() == name)
            .collect();
        if found.is_empty() {
            let known: Vec<&str> = Toolset::ALL.iter().map(|toolset| toolset.name()).collect();
            let mut hint = format!("Use all, or some of: {}.", known.join(", "));
            if let Some(near) = nearest(name, known) {
                hint = format!("Did you mean \"{near}\"? {hint}");
            }
            return Err(Error::new(
                ErrorKind::InvalidConfig,
                format!("\"{name}\" is not a toolset"),
            )
            .with_hint(hint));
        }
        for toolset in found {
            if !toolsets.contains(&toolset) {
                toolsets.push(toolset);
            }
        }
    }
    Ok(toolsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_refuses() {
        assert_eq!(Config::parse("c", ""), Ok(Config::default()));
        let text = "[mcp]\ntoolsets = [\"knowledge\"]\n";
        let config = Config::parse("c", text).expect("valid");
        assert_eq!(config.mcp.toolsets, Some(vec!["knowledge".into()]));
        let error = Config::parse("c", "\n[mpc]\n").unwrap_err();
        assert!(error.message().starts_with("c, line 2"), "{error}");
        let error = Config::parse("c", "[mcp]\ntoolsets = [\"knowlege\"]").unwrap_err();
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("\"knowledge\""))
        );
    }
}
