//! What maven reads: the poms of the build without their dependencies, its settings in `.mvn`, and
//! the wrapper.

use std::collections::HashSet;

use roxmltree::{Document, Node};

use crate::decides::{Decides, How};
use crate::paths;
use crate::pinner::{Pinner, Seal};
use crate::source::{FileContext, MAX_INCLUDES};

/// In the folder of the pom, or in the nearest one above that has them.
pub const DECLARED: &[Decides] = &[
    Decides::upwards("mvnw", How::Whole),
    Decides::upwards(".mvn/maven.config", How::Settings),
    Decides::upwards(".mvn/jvm.config", How::Settings),
    Decides::upwards(".mvn/extensions.xml", How::Whole),
    Decides::upwards(".mvn/settings.xml", How::Settings),
    Decides::upwards(".mvn/wrapper/maven-wrapper.properties", How::Settings),
    Decides::upwards(".mvn/wrapper/maven-wrapper.jar", How::Hash),
    Decides::upwards(".mvn/wrapper/MavenWrapperDownloader.java", How::Whole),
];

/// Elements of a project that decide nothing about what its build runs.
const HARMLESS: &[&str] = &[
    "ciManagement",
    "contributors",
    "dependencies",
    "dependencyManagement",
    "description",
    "developers",
    "inceptionYear",
    "issueManagement",
    "licenses",
    "mailingLists",
    "name",
    "organization",
    "scm",
    "url",
    "version",
];

pub fn pin(context: &FileContext<'_>) -> Seal {
    let mut reader = Reader {
        pinner: Pinner::new(context),
        visited: HashSet::new(),
    };
    reader.pom(context.path, 0);
    reader.pinner.declared(context.folder(), DECLARED);
    for above in paths::ancestors(context.folder()) {
        let folder = paths::join_display(above, ".mvn");
        let config = paths::join_display(&folder, "maven.config");
        if let Ok(text) = reader.pinner.source.read(&config) {
            // Settings and toolchains that it names.
            for word in text.split([' ', '=', '\n', '\r', '\t']) {
                if let Some(file) = paths::resolve(above, word)
                    && reader.pinner.source.exists(&file)
                {
                    reader.pinner.hashed(&file);
                }
            }
        }
        let known: HashSet<String> = reader.pinner.paths().into_iter().collect();
        let other = |path: &str| !known.contains(path);
        reader.pinner.tree(&folder, &other, How::Hash);
    }
    reader.pinner.seal()
}

struct Reader<'a> {
    pinner: Pinner<'a>,
    visited: HashSet<String>,
}

impl Reader<'_> {
    fn pom(&mut self, path: &str, depth: usize) {
        if depth > MAX_INCLUDES || !self.visited.insert(path.to_owned()) {
            return;
        }
        let Ok(text) = self.pinner.source.read(path) else {
            self.pinner.whole(path);
            return;
        };
        let Ok(document) = Document::parse(&text) else {
            let reason = format!("{path} is not well-formed XML");
            return self.pinner.unreadable(reason);
        };
        let project = document.root_element();
        self.pinner.parts(path, "all but dependencies", || {
            let mut out = String::new();
            write(project, 0, &mut out);
            out
        });
        let folder = paths::folder_of(path);
        for module in project
            .descendants()
            .filter(|it| it.tag_name().name() == "module")
        {
            self.other(
                path,
                folder,
                module.text().unwrap_or_default().trim(),
                depth,
            );
        }
        let parent = project
            .children()
            .find(|it| it.tag_name().name() == "parent");
        if let Some(parent) = parent {
            let written = parent
                .children()
                .find(|it| it.tag_name().name() == "relativePath")
                .map_or("../pom.xml", |it| it.text().unwrap_or_default().trim());
            // Above the root, or an empty path: maven takes the parent from a repository.
            if let Some(above) = paths::resolve(folder, written)
                && !written.is_empty()
            {
                self.other("", "", &above, depth);
            }
        }
    }

    /// A pom, or the pom of a folder.
    fn other(&mut self, from: &str, folder: &str, written: &str, depth: usize) {
        if written.contains('$') {
            let reason = format!("{from} has a module whose name is computed: {written}");
            return self.pinner.unreadable(reason);
        }
        if let Some(path) = self.pinner.resolve(from, folder, written) {
            let is_pom = paths::ending_of(&path) == "xml";
            let path = if is_pom {
                path
            } else {
                paths::join_display(&path, "pom.xml")
            };
            self.pom(&path, depth + 1);
        }
    }
}

/// The elements with their attributes and texts, without comments and layout.
fn write(node: Node<'_, '_>, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let name = node.tag_name().name();
    out.extend([indent.as_str(), "<", name]);
    for attribute in node.attributes() {
        let (name, value) = (attribute.name(), format!("{:?}", attribute.value()));
        out.extend([" ", name, "=", &value]);
    }
    let elements = node.children().filter(|child| child.is_element());
    let texts = node
        .children()
        .filter_map(|it| if it.is_text() { it.text() } else { None });
    let text: String = texts.collect();
    let text = format!("{:?}", text.trim());
    out.extend(["> ", &text, "\n"]);
    if depth > 100 {
        return;
    }
    for child in elements {
        if depth > 0 || !HARMLESS.contains(&child.tag_name().name()) {
            write(child, depth + 1, out);
        }
    }
}
