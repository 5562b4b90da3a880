//! The recipes of a project: those that every project has, and its own in `.windlass/recipes/`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use windlass_core::{Entity, EntityType};
use windlass_core::{
    Error, ErrorKind, RECIPES, Recipe, RecipeTool, Result, additional_disabled, nearest,
};
use windlass_store::{Project, Reader};

use crate::access::tool_name;
use crate::list::OPERATIONS;
use crate::operation::{Audience, Entry};
use crate::plain_file;

const FOLDER: &str = "recipes";

/// A recipe file. Its name is the file's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecipeFile {
    #[serde(default)]
    purpose: String,
    tools: Vec<String>,
    /// Tools with restricted arguments.
    #[serde(default)]
    fields: BTreeMap<String, Vec<String>>,
}

/// All recipes in order: the built-in ones, then the project's by name.
pub fn all(project: &Project) -> Result<Vec<Recipe>> {
    let mut recipes: Vec<Recipe> = RECIPES.iter().map(|one| one.recipe()).collect();
    let folder = project.folder().join(FOLDER);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(recipes),
        Err(error) => return Err(Error::storage(format!("{}: {error}", folder.display()))),
    };
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    for path in files {
        let recipe = read(&path)?;
        if recipes.iter().any(|other| other.name == recipe.name) {
            return Err(damaged(&path, "a built-in recipe has that name"));
        }
        recipes.push(recipe);
    }
    Ok(recipes)
}

pub fn find(project: &Project, name: &str) -> Result<Recipe> {
    let recipes = all(project)?;
    let known: Vec<String> = recipes.iter().map(|recipe| recipe.name.clone()).collect();
    let found = recipes.into_iter().find(|recipe| recipe.name == name);
    found.ok_or_else(|| {
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("Did you mean \"{near}\"?"),
            None => format!("Use one of: {}.", known.join(", ")),
        };
        Error::new(
            ErrorKind::NameNotFound,
            format!("recipe: there is no recipe \"{name}\""),
        )
        .with("field", "recipe")
        .with("value", name)
        .with("known", known)
        .with_hint(hint)
    })
}

fn read(path: &Path) -> Result<Recipe> {
    let text = plain_file::read_text(path)
        .map_err(|error| Error::storage(format!("{}: {error}", path.display())))?;
    let file: RecipeFile = toml::from_str(&text).map_err(|problem| {
        let place = problem.span().map_or(String::new(), |span| {
            let line = text[..span.start.min(text.len())].lines().count().max(1);
            format!("line {line}: ")
        });
        damaged(path, &format!("{place}{}", problem.message()))
    })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut tools = Vec::with_capacity(file.tools.len());
    for tool in &file.tools {
        let entry = resolve(tool).map_err(|error| damaged_by(path, &error))?;
        let fields = file.fields.get(tool).cloned();
        check_fields(entry, fields.as_deref()).map_err(|error| damaged_by(path, &error))?;
        tools.push(RecipeTool {
            name: tool_name(&entry.declaration).into_owned(),
            fields,
        });
    }
    if let Some(stray) = file.fields.keys().find(|tool| !file.tools.contains(tool)) {
        return Err(damaged(
            path,
            &format!("fields names \"{stray}\", which is not in tools"),
        ));
    }
    Ok(Recipe {
        name: name.into_owned(),
        purpose: file.purpose,
        tools,
    })
}

/// The operation that a recipe or a discipline means by a name.
pub fn resolve(name: &str) -> Result<&'static Entry> {
    let tools = || {
        OPERATIONS
            .iter()
            .filter(|entry| entry.declaration.audience == Audience::Anyone)
    };
    let found = tools().find(|entry| {
        let declaration = &entry.declaration;
        let prefixed = || format!("{}_{}", declaration.toolset.name(), declaration.name);
        tool_name(declaration) == name || prefixed() == name
    });
    found.ok_or_else(|| {
        let known: Vec<String> = tools()
            .map(|entry| tool_name(&entry.declaration).into_owned())
            .collect();
        let error = Error::new(
            ErrorKind::InvalidConfig,
            format!("tools: there is no tool \"{name}\""),
        )
        .with("field", "tools")
        .with("value", name);
        match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => error.with_hint(format!("Did you mean \"{near}\"?")),
            None => error,
        }
    })
}

fn check_fields(entry: &Entry, fields: Option<&[String]>) -> Result<()> {
    let schema = entry.input_schema();
    let known = &schema["properties"];
    for field in fields.into_iter().flatten() {
        if known.get(field).is_none() {
            let name = entry.declaration.name;
            return Err(Error::validation(
                "fields",
                format!("{name} has no argument \"{field}\""),
            ));
        }
    }
    Ok(())
}

fn damaged(path: &Path, problem: &str) -> Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Error::new(
        ErrorKind::InvalidConfig,
        format!(".windlass/recipes/{name}: {problem}"),
    )
    .with_hint("A recipe has a purpose and a list of tools; [[recipe_get]] shows one.")
}

fn damaged_by(path: &Path, error: &Error) -> Error {
    let mut damaged = damaged(path, error.message());
    if let Some(hint) = error.hint() {
        damaged = damaged.with_hint(hint);
    }
    damaged
}

/// Why a tool is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Off {
    /// The recipe does not allow it.
    Recipe,
    /// The recipe allows it, the discipline disables it.
    Discipline,
}

/// The tools that a recipe and a discipline allow.
#[derive(Debug, Clone)]
pub struct Toolbox {
    pub on: Vec<RecipeTool>,
    /// In the order of the list.
    pub off: Vec<(String, Off)>,
    /// Names that the discipline disables and no tool has.
    pub unknown: Vec<String>,
}

impl Toolbox {
    pub fn new(recipe: &Recipe, discipline: Option<&Entity>) -> Self {
        let taken = additional_disabled(discipline.and_then(|one| one.text("mcp_tool_overrides")));
        let mut disabled = Vec::new();
        let mut unknown = Vec::new();
        for name in taken {
            match resolve(&name) {
                Ok(entry) => disabled.push(tool_name(&entry.declaration).into_owned()),
                Err(_) => unknown.push(name),
            }
        }
        let allowed = |name: &str| recipe.tools.iter().find(|tool| tool.name == name);
        let mut on = Vec::new();
        let mut off = Vec::new();
        for entry in OPERATIONS {
            if entry.declaration.audience != Audience::Anyone {
                continue;
            }
            let name = tool_name(&entry.declaration).into_owned();
            match allowed(&name) {
                None => off.push((name, Off::Recipe)),
                Some(_) if disabled.contains(&name) => off.push((name, Off::Discipline)),
                Some(tool) => on.push(tool.clone()),
            }
        }
        Self { on, off, unknown }
    }
}

/// The discipline of that name, if one is given.
pub fn discipline(reader: &Reader<'_>, name: Option<&str>) -> Result<Option<Entity>> {
    name.map(|name| reader.by_name("discipline", EntityType::Discipline, name))
        .transpose()
}
