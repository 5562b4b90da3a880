//! Pages that stand alone: one file without scripts, styles or pictures from elsewhere, for a browser
//! that is offline and for the artifacts of CI.

mod board;
mod graph;
mod layout;
mod page;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use windlass_core::{Error, ErrorKind, Result};
use windlass_ops::{Render, Span, View};

use super::graph::TaskGraph;
use super::once::Board;
use crate::surface::cli::caller::Caller;
use crate::surface::cli::output;
use page::About;

/// The board as a page.
pub fn board(board: &Board, caller: &Caller) -> Result<String> {
    Ok(board::board_page(board, &about(caller)?))
}

/// The graph of open tasks as a page.
pub fn graph(graph: &TaskGraph, caller: &Caller) -> Result<String> {
    Ok(graph::graph_page(graph, &about(caller)?))
}

fn about(caller: &Caller) -> Result<About> {
    let context = caller.context()?;
    let folder = context.workspace.root().file_name();
    let name = folder.map(|name| name.to_string_lossy().into_owned());
    Ok(About {
        project: name.unwrap_or_else(|| "Windlass".to_owned()),
        at: jiff::Timestamp::now()
            .strftime("%Y-%m-%d %H:%M UTC")
            .to_string(),
    })
}

/// A page that was written.
#[derive(Serialize)]
struct Written {
    file: String,
    bytes: usize,
}

impl Render for Written {
    fn view(&self) -> View {
        let Self { file, bytes } = self;
        View::default().line([Span::from(format!("Wrote {file} ({bytes} bytes)"))])
    }
}

/// Writes a page to a file, relative to the folder that the command works from; `-` prints it.
pub fn write(caller: &Caller, file: &Path, page: &str) -> Result<ExitCode> {
    if file == Path::new("-") {
        output::raw(page.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = caller.global.cwd.join(file);
    std::fs::write(&path, page).map_err(|problem| {
        Error::new(
            ErrorKind::ValidationFailed,
            format!("--html: cannot write {}: {problem}", path.display()),
        )
        .with("field", "--html")
        .with_hint("Name a file in a folder that exists and that you may write to.")
    })?;
    caller.answer(&Written {
        file: file.display().to_string(),
        bytes: page.len(),
    })
}
