//! What every page has: its head with the rules for the browser, its style, and escaped text.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::surface::cli::render::escape;

const STYLE: &str = include_str!("page.css");

/// What the page is about.
pub struct About {
    pub project: String,
    /// When it was made.
    pub at: String,
}

/// A whole page: a heading with the project, a line for `tools`, and the body. `tools` and `body` are
/// HTML; the script is one of ours.
pub fn page(about: &About, title: &str, tools: &str, body: &str, script: &str) -> String {
    let (project, at) = (text(&about.project), text(&about.at));
    // Only this style and this script: whatever a title says, a browser runs and loads nothing else.
    let rules = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(script)
    );
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{rules}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{project}: {title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{project}</h1><p>{title}, <time>{at}</time></p>{tools}</header>\n\
         {body}\n<script>{script}</script>\n</body>\n</html>\n"
    )
}

/// The box that narrows what is shown.
pub const FILTER: &str = "<label class=\"filter\">Filter <input type=\"search\" id=\"filter\" \
     autocomplete=\"off\" placeholder=\"words or #number\"></label>\
     <output id=\"found\" for=\"filter\"></output>";

fn hash(content: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content)))
}

/// Text of users as HTML text, also for attributes in double quotes. Control characters and those that
/// reorder text are shown as on a terminal.
pub fn text(text: &str) -> String {
    let shown = escape::one_line(text);
    let mut out = String::with_capacity(shown.len());
    for letter in shown.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

/// Adds to a string; formatting into one cannot fail.
pub fn add(out: &mut String, piece: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(piece);
}
