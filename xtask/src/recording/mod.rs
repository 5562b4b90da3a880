//! The recording in the README: its first commands, run in a fresh folder, as an animated picture.
//!
//! What is typed and printed comes from a run of the binary, so the picture is stale when one of
//! them changes, and `cargo xtask docs --check` says so.

mod ansi;
mod svg;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page whose first block of commands is played.
const PAGE: &str = "README.md";

/// One command, and what it prints with colours.
struct Step {
    command: String,
    printed: String,
}

/// The picture.
pub fn picture(root: &Path, binary: &Path) -> Result<String, String> {
    let page = fs::read_to_string(root.join(PAGE)).map_err(|why| format!("{PAGE}: {why}"))?;
    let commands = commands(&page);
    if commands.is_empty() {
        return Err(format!("{PAGE} has no block of commands"));
    }
    let place = Place::new()?;
    let mut steps = Vec::new();
    for command in commands {
        let printed = place.run(binary, &command)?;
        steps.push(Step { command, printed });
    }
    svg::draw(&steps)
}

/// The commands of the first console block.
fn commands(page: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != "```console");
    let block = lines.skip(1).take_while(|line| *line != "```");
    block
        .filter_map(|line| line.strip_prefix("$ "))
        .map(str::to_owned)
        .collect()
}

/// A folder of its own, with a home and a project in it, that is removed in the end.
struct Place {
    home: PathBuf,
}

impl Place {
    fn new() -> Result<Self, String> {
        let home = std::env::temp_dir().join(format!("windlass-recording-{}", std::process::id()));
        fs::create_dir_all(home.join("shop"))
            .map_err(|why| format!("{}: {why}", home.display()))?;
        Ok(Self { home })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the search path is that of the person, with the binary first"
    )]
    fn run(&self, binary: &Path, command: &str) -> Result<String, String> {
        let folder = binary.parent().unwrap_or(binary);
        let path = std::env::var("PATH").unwrap_or_default();
        let printed = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.home.join("shop"))
            .env_clear()
            .env("PATH", format!("{}:{path}", folder.display()))
            .env("HOME", &self.home)
            .env("USER", "ann")
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .env("CLICOLOR_FORCE", "1")
            .output()
            .map_err(|why| format!("sh: {why}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if !printed.status.success() {
            return Err(format!("{command} failed: {}", text(&printed.stderr)));
        }
        let home = self.home.display().to_string();
        let real = fs::canonicalize(&self.home).unwrap_or_else(|_| self.home.clone());
        let all = text(&printed.stderr) + &text(&printed.stdout);
        Ok(all
            .replace(&real.display().to_string(), "~")
            .replace(&home, "~"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // It is in the folder for what is temporary: what cannot be removed does no harm there.
        let _ = fs::remove_dir_all(&self.home);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_is_played() {
        let page =
            "# A\n```sh\n$ no\n```\n```console\n$ a\nprinted\n$ b 'c'\n```\n```console\n$ d\n```\n";
        assert_eq!(commands(page), ["a", "b 'c'"]);
        assert!(commands("# A\n").is_empty());
    }
}
