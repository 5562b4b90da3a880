//! Parses the lines of a makefile: rules with their recipes and comments, and includes.

pub enum Item {
    Rule(Rule),
    Include {
        line: usize,
        files: String,
        optional: bool,
    },
    /// `ifeq (a,b)`, `else`, `endif` and their kin.
    Condition(String),
    /// `define NAME`, and the lines up to `endef`.
    Template {
        name: String,
        text: String,
    },
    /// Assignments, conditions and everything else that is not a rule.
    Other {
        line: usize,
        text: String,
    },
}

pub struct Rule {
    pub targets: String,
    pub prerequisites: String,
    pub line: usize,
    pub description: Option<String>,
    pub text: String,
}

/// A line with its continuations joined.
pub struct Logical {
    pub line: usize,
    pub text: String,
    raw: String,
}

pub fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut comment: Vec<String> = Vec::new();
    let mut in_rule = false;
    let mut definition: Option<(String, String)> = None;
    let mut prefix = '\t';
    for logical in logical_lines(text) {
        let line = logical.text.as_str();
        let word = line.split_whitespace().next().unwrap_or_default();
        if let Some((name, body)) = &mut definition {
            if word == "endef" {
                items.push(Item::Template {
                    name: std::mem::take(name),
                    text: std::mem::take(body),
                });
                definition = None;
            } else {
                body.push_str(&logical.raw);
                body.push('\n');
            }
            continue;
        }
        if in_rule && line.starts_with(prefix) {
            append(&mut items, &logical.raw);
            continue;
        }
        if let Some(text) = line.trim_start().strip_prefix('#') {
            comment.push(text.trim_start_matches('#').trim().to_owned());
            continue;
        }
        let above = std::mem::take(&mut comment);
        match word {
            "" => {}
            "define" | "override" if line.contains("define ") => {
                let name = line.split("define ").nth(1).unwrap_or_default();
                let name = name.trim_end_matches(['=', ':', '?', '+', ' ']).trim();
                definition = Some((name.to_owned(), String::new()));
                in_rule = false;
            }
            "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" => {
                items.push(Item::Condition(line.trim().to_owned()));
            }
            "include" | "-include" | "sinclude" => {
                in_rule = false;
                let files = line.trim_start()[word.len()..].to_owned();
                items.push(Item::Include {
                    line: logical.line,
                    files: files.split('#').next().unwrap_or_default().to_owned(),
                    optional: word != "include",
                });
            }
            _ => {
                if let Some(set) = line.strip_prefix(".RECIPEPREFIX") {
                    let value = set.trim_start_matches([' ', ':', '=', '?']);
                    prefix = value.chars().next().unwrap_or('\t');
                }
                let rule = rule(&logical, &above);
                in_rule = rule.is_some();
                let other = || Item::Other {
                    line: logical.line,
                    text: line.to_owned(),
                };
                items.push(rule.map_or_else(other, Item::Rule));
            }
        }
    }
    items
}

fn append(items: &mut [Item], raw: &str) {
    // Conditions may be between the lines of a recipe.
    let rule = items.iter_mut().rev().find_map(|item| match item {
        Item::Rule(rule) => Some(rule),
        _ => None,
    });
    if let Some(rule) = rule {
        rule.text.push('\n');
        rule.text.push_str(raw);
    }
}

pub fn logical_lines(text: &str) -> Vec<Logical> {
    let mut logical: Vec<Logical> = Vec::new();
    let mut open = false;
    for (index, line) in text.lines().enumerate() {
        let body = line.strip_suffix('\\');
        let part = body.unwrap_or(line);
        match logical.last_mut() {
            Some(last) if open => {
                last.text.push(' ');
                last.text.push_str(part.trim_start());
                last.raw.push('\n');
                last.raw.push_str(line);
            }
            _ => logical.push(Logical {
                line: index + 1,
                text: part.to_owned(),
                raw: line.to_owned(),
            }),
        }
        open = body.is_some();
    }
    logical
}

/// The rule of a line, unless it is an assignment or a text that only looks like a rule.
fn rule(logical: &Logical, above: &[String]) -> Option<Rule> {
    let line = logical.text.as_str();
    let (head, help) = match line.split_once("##") {
        Some((head, help)) => (head, Some(help.trim().to_owned())),
        None => (line, None),
    };
    let colon = rule_colon(head)?;
    let after = head[colon..].trim_start_matches(':');
    let targets = head[..colon].trim_end_matches('&').trim();
    if targets.is_empty() || targets.starts_with('\t') {
        return None;
    }
    let prerequisites = after.split([';', '#']).next().unwrap_or_default();
    if is_assignment(prerequisites) {
        return None;
    }
    let comment = description(above);
    Some(Rule {
        targets: targets.to_owned(),
        prerequisites: prerequisites.to_owned(),
        line: logical.line,
        description: help.filter(|help| !help.is_empty()).or(comment),
        text: logical.raw.clone(),
    })
}

/// The comment above a rule, unless it is the heading of a section: between lines of signs, marked
/// by `@`, or ending in a colon.
fn description(above: &[String]) -> Option<String> {
    let is_line = |line: &String| !line.is_empty() && !line.chars().any(char::is_alphanumeric);
    let is_heading = |line: &String| is_line(line) || line.starts_with('@');
    if above.iter().any(is_heading) {
        return None;
    }
    let text = above.join(" ");
    let text = text.trim();
    (!text.is_empty() && !text.ends_with(':')).then(|| text.to_owned())
}

/// The position of the colon of a rule; `None` if an assignment comes first.
fn rule_colon(line: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in line.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '=' | '#' if depth == 0 => return None,
            ':' if depth == 0 => {
                let rest = line[at..].trim_start_matches(':');
                return (!rest.starts_with('=')).then_some(at);
            }
            _ => {}
        }
    }
    None
}

/// Whether the text after the colon sets a target-specific variable.
fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else {
        return false;
    };
    let name = name.trim_end_matches(['?', '+', ':', '!']).trim();
    let mut words = name.split_whitespace();
    let last = words.next_back().unwrap_or_default();
    !last.contains(['$', '(', ')'])
        && words.all(|word| ["export", "override", "private", "unexport"].contains(&word))
}
