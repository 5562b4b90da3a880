//! Files of sections and keys, as Python's tools read them: a value goes on in lines that are
//! indented.

/// A section, with the line of its heading.
pub struct Section {
    pub name: String,
    pub line: usize,
    pub entries: Vec<(String, String)>,
}

impl Section {
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.entries.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }
}

pub fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let body = line.trim();
        if body.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.split(']').next()) {
            sections.push(Section {
                name: name.trim().to_owned(),
                line: index + 1,
                entries: Vec::new(),
            });
            continue;
        }
        let Some(section) = sections.last_mut() else {
            continue;
        };
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = section.entries.last_mut() {
                value.push('\n');
                value.push_str(body);
            }
        } else if let Some((key, value)) = line.split_once(['=', ':']) {
            let entry = (key.trim().to_owned(), value.trim().to_owned());
            section.entries.push(entry);
        }
    }
    sections
}
