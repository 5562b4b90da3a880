//! A page: its Markdown as HTML, with anchors as forges make them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::pages::links::anchor;

#[derive(Debug)]
pub struct Page {
    /// Its Markdown in the repository.
    pub source: PathBuf,
    /// Its file in the site.
    pub place: PathBuf,
    pub title: String,
    /// Files that it refers to and that are no pages.
    pub files: BTreeSet<PathBuf>,
    sections: Vec<Section>,
    body: String,
}

/// A heading of the second level.
#[derive(Debug)]
struct Section {
    anchor: String,
    title: String,
}

impl Page {
    pub fn read(root: &Path, source: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(root.join(source));
        let text = text.map_err(|problem| format!("{}: {problem}", source.display()))?;
        Ok(Self::new(source, &text))
    }

    fn new(source: &Path, text: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
        let mut page = Self {
            source: source.to_owned(),
            place: place(source),
            title: String::new(),
            files: BTreeSet::new(),
            sections: Vec::new(),
            body: String::new(),
        };
        let events = page.changed(events);
        html::push_html(&mut page.body, events.into_iter());
        page
    }

    /// Headings get anchors, links lead to pages of the site, tables and code may be wide.
    fn changed<'a>(&mut self, events: Vec<Event<'a>>) -> Vec<Event<'a>> {
        let mut used: Vec<String> = Vec::new();
        let mut changed = Vec::with_capacity(events.len());
        let mut in_console = false;
        for (at, event) in events.iter().enumerate() {
            if matches!(event, Event::Start(Tag::Table(_))) {
                changed.push(Event::Html("<div class=\"wide\">".into()));
            }
            changed.push(match event.clone() {
                Event::Start(Tag::Heading { level, .. }) => {
                    let title = text_until_end(&events[at + 1..]);
                    let anchor = unique(anchor(&title), &mut used);
                    match level as usize {
                        1 if self.title.is_empty() => self.title.clone_from(&title),
                        2 => self.sections.push(Section {
                            anchor: anchor.clone(),
                            title,
                        }),
                        _ => {}
                    }
                    Event::Html(format!("<{level} id=\"{anchor}\">").into())
                }
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }) => Event::Start(Tag::Link {
                    link_type,
                    dest_url: self.target(&dest_url).into(),
                    title,
                    id,
                }),
                Event::Start(Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    id,
                }) => Event::Start(Tag::Image {
                    link_type,
                    dest_url: self.target(&dest_url).into(),
                    title,
                    id,
                }),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(ref name))) => {
                    in_console = &**name == "console";
                    event.clone()
                }
                Event::Text(text) if in_console => Event::Html(console(&text).into()),
                Event::End(TagEnd::CodeBlock) => {
                    in_console = false;
                    event.clone()
                }
                event => event,
            });
            if matches!(event, Event::End(TagEnd::Table)) {
                changed.push(Event::Html("</div>\n".into()));
            }
        }
        changed
    }

    /// Where a link leads in the site.
    fn target(&mut self, link: &CowStr<'_>) -> String {
        if link.contains("://") || link.starts_with("mailto:") || link.starts_with('#') {
            return link.to_string();
        }
        let (path, anchor) = match link.split_once('#') {
            Some((path, anchor)) => (path, format!("#{anchor}")),
            None => (&**link, String::new()),
        };
        let file = plain(&self.source.parent().unwrap_or(Path::new("")).join(path));
        if file.extension().is_some_and(|it| it == "md") {
            return relative(&self.place, &place(&file)) + &anchor;
        }
        let target = relative(&self.place, &file);
        self.files.insert(file);
        target + &anchor
    }

    /// The whole file, with the list of all pages.
    pub fn html(&self, navigation: &str) -> String {
        let to = |file: &str| relative(&self.place, Path::new(file));
        let mut sections = String::new();
        for Section { anchor, title } in &self.sections {
            let title = escaped(title);
            let _ = writeln!(sections, "<li><a href=\"#{anchor}\">{title}</a></li>");
        }
        let on_this_page = if self.sections.len() < 2 {
            String::new()
        } else {
            format!(
                "<details class=\"contents\"><summary>On this page</summary>\n<ul>\n{sections}</ul></details>\n"
            )
        };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; img-src 'self'\">\n\
             <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{style}\">\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#content\">Skip to the text</a>\n\
             <header><a href=\"{home}\">Windlass</a></header>\n\
             <details class=\"pages\"><summary>All pages</summary>\n<nav aria-label=\"All pages\">\n{navigation}</nav></details>\n\
             <nav class=\"beside\" aria-label=\"Pages\">\n{navigation}</nav>\n\
             <main id=\"content\">\n{on_this_page}{body}</main>\n</body>\n</html>\n",
            title = if self.title == "Windlass" {
                "Windlass".to_owned()
            } else {
                format!("{} · Windlass", escaped(&self.title))
            },
            style = to("style.css"),
            home = to("index.html"),
            body = self.body,
        )
    }
}

/// Commands stand out from what they print.
fn console(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("$ ").or_else(|| line.strip_prefix("> ")) {
        Some(_) => format!("<b>{}</b>", escaped(line)),
        None => escaped(line),
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

/// The file of a page in the site.
pub fn place(source: &Path) -> PathBuf {
    if source.file_name().is_some_and(|name| name == "README.md") {
        return source.with_file_name("index.html");
    }
    source.with_extension("html")
}

/// The way from one file of the site to another.
pub fn relative(from: &Path, to: &Path) -> String {
    let from = from.parent().unwrap_or(Path::new(""));
    let common = from.components().zip(to.components());
    let common = common.take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common);
    let down = down.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A path without `..` in it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn text_until_end(events: &[Event<'_>]) -> String {
    let inside = events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    inside
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect()
}

fn unique(anchor: String, used: &mut Vec<String>) -> String {
    let again = used.iter().filter(|known| **known == anchor).count();
    let unique = if again == 0 {
        anchor.clone()
    } else {
        format!("{anchor}-{again}")
    };
    used.push(anchor);
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_of_the_site() {
        let text = "# `windlass` & co\n\n## Notes\n## Notes\n\n[a](../../README.md#install) \
                    [b](sync.md) [c](../sdk.d.ts) [d](https://example.com) [e](#notes-1)\n";
        let page = Page::new(Path::new("docs/guide/a.md"), text);
        assert_eq!(page.title, "windlass & co");
        assert_eq!(page.place, Path::new("docs/guide/a.html"));
        for link in [
            "\"../../index.html#install\"",
            "\"sync.html\"",
            "\"../sdk.d.ts\"",
            "\"https://example.com\"",
            "\"#notes-1\"",
            "id=\"notes-1\"",
        ] {
            assert!(page.body.contains(link), "{link} in {}", page.body);
        }
        let files: Vec<_> = page.files.iter().collect();
        assert_eq!(files, [Path::new("docs/sdk.d.ts")]);
        let html = page.html("");
        assert!(
            html.contains("<title>windlass &amp; co · Windlass</title>"),
            "{html}"
        );
    }

    #[test]
    fn commands_of_a_console_stand_out_and_nothing_is_markup() {
        let text = "# A\n```console\n$ a <b>\n<out>\n```\n```sh\n$ plain\n```\n";
        let page = Page::new(Path::new("A.md"), text);
        assert!(
            page.body.contains("<b>$ a &lt;b&gt;</b>\n&lt;out&gt;"),
            "{}",
            page.body
        );
        assert!(page.body.contains(">$ plain"), "{}", page.body);
    }

    #[test]
    fn ways_between_files() {
        for (from, to, way) in [
            ("index.html", "docs/a.html", "docs/a.html"),
            ("docs/guide/a.html", "index.html", "../../index.html"),
            ("docs/guide/a.html", "docs/b/c.html", "../b/c.html"),
            ("docs/a.html", "docs/a.html", "a.html"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), way);
        }
    }
}
