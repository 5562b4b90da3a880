//! Parses the lines of a justfile: recipes with their attributes and bodies, imports, modules,
//! aliases.

pub enum Item {
    Recipe(Recipe),
    Import {
        line: usize,
        path: String,
        optional: bool,
    },
    Module {
        line: usize,
        name: String,
        path: Option<String>,
        optional: bool,
    },
    Alias {
        line: usize,
        name: String,
        target: String,
    },
    /// Settings, variables and everything else that is not a recipe.
    Other,
}

#[derive(Clone)]
pub struct Recipe {
    pub name: String,
    pub line: usize,
    pub description: Option<String>,
    pub private: bool,
    /// The maximum number of arguments, unless it is `variadic`.
    pub parameters: usize,
    pub variadic: bool,
    pub text: String,
}

pub fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut comment: Option<String> = None;
    let mut attributes: Vec<String> = Vec::new();
    let mut in_recipe = false;
    let mut lines = text.lines().enumerate();
    while let Some((index, first)) = lines.next() {
        if first.starts_with([' ', '\t']) || first.trim().is_empty() {
            match items.last_mut() {
                Some(Item::Recipe(recipe)) if in_recipe => {
                    recipe.text.push('\n');
                    recipe.text.push_str(first);
                }
                _ if first.trim().is_empty() => {}
                _ => items.push(Item::Other),
            }
            if first.trim().is_empty() {
                comment = None;
            }
            continue;
        }
        in_recipe = false;
        if let Some(text) = first.strip_prefix('#') {
            comment = Some(text.trim().to_owned());
            continue;
        }
        if first.starts_with('[') {
            attributes.push(first.trim_end().to_owned());
            continue;
        }
        let mut line = first.trim_end().to_owned();
        while let Some(head) = line.strip_suffix('\\') {
            let Some((_, next)) = lines.next() else { break };
            line = format!("{head}{}", next.trim());
        }
        for fence in ["'''", "\"\"\"", "```"] {
            if line.matches(fence).count() % 2 == 1 {
                for (_, next) in lines.by_ref() {
                    line = format!("{line}\n{next}");
                    if next.contains(fence) {
                        break;
                    }
                }
            }
        }
        let description = comment.take();
        let attributes = std::mem::take(&mut attributes);
        if let Some(item) = statement(&line, index + 1) {
            items.push(item);
        } else if let Some(recipe) = recipe(&line, index + 1, description, &attributes) {
            in_recipe = true;
            items.push(Item::Recipe(recipe));
        } else {
            items.push(Item::Other);
        }
    }
    items
}

fn statement(line: &str, number: usize) -> Option<Item> {
    let (word, rest) = line.split_once(' ')?;
    let rest = rest.trim();
    match word {
        "import" | "import?" => Some(Item::Import {
            line: number,
            path: unquote(rest)?,
            optional: word.ends_with('?'),
        }),
        "mod" | "mod?" if !rest.contains(':') => {
            let (name, path) = rest.split_once(' ').unwrap_or((rest, ""));
            Some(Item::Module {
                line: number,
                name: name.to_owned(),
                path: unquote(path.trim()),
                optional: word.ends_with('?'),
            })
        }
        "alias" => {
            let (name, target) = rest.split_once(":=")?;
            Some(Item::Alias {
                line: number,
                name: name.trim().to_owned(),
                target: target.split('#').next()?.trim().to_owned(),
            })
        }
        _ => None,
    }
}

fn unquote(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|it| ['"', '\''].contains(it))?;
    let inner = &text[1..];
    Some(inner[..inner.find(quote)?].to_owned())
}

fn recipe(
    line: &str,
    number: usize,
    description: Option<String>,
    attributes: &[String],
) -> Option<Recipe> {
    let colon = header_colon(line)?;
    let header = line[..colon].trim_start_matches('@');
    let words = split(header);
    let (name, parameters) = words.split_first()?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let keyword = ["set", "export", "unexport", "alias", "import", "mod"].contains(&name.as_str());
    if !name.chars().all(plain) || (keyword && !parameters.is_empty()) {
        return None;
    }
    let private = name.starts_with('_') || attributes.iter().any(|line| has(line, "private"));
    let doc = attributes.iter().find_map(|line| {
        let rest = &line[line.find("doc(")? + 4..];
        unquote(rest.trim_start())
    });
    let mut text = attributes.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
    Some(Recipe {
        name: name.clone(),
        line: number,
        description: doc.or(description),
        private,
        parameters: parameters.len(),
        variadic: parameters.iter().any(|it| it.starts_with(['*', '+'])),
        text,
    })
}

fn has(attributes: &str, name: &str) -> bool {
    attributes
        .trim_matches(['[', ']'])
        .split(',')
        .any(|attribute| attribute.trim() == name)
}

/// The colon that ends the header; `None` for an assignment.
fn header_colon(line: &str) -> Option<usize> {
    let mut quote: Option<char> = None;
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '#') => return None,
            (None, ':') => return (!line[at..].starts_with(":=")).then_some(at),
            _ => {}
        }
    }
    None
}

/// Splits into words; quotes and parentheses keep blanks together.
fn split(header: &str) -> Vec<String> {
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0_usize);
    let mut quote: Option<char> = None;
    for letter in header.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter.is_whitespace() && quote.is_none() && depth == 0 {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
