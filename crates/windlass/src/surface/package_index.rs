//! The Python registry that pip uses: by the environment, by pip's configuration files, or PyPI.

use std::path::PathBuf;

use super::environment::Environment;

const PYPI: &str = "https://pypi.org/simple";

/// The address of the registry's simple index.
pub fn configured(environment: &Environment) -> String {
    let (set, files) = environment.pip();
    set.or_else(|| from_files(files))
        .unwrap_or_else(|| PYPI.to_owned())
}

/// A later file counts more, as for pip.
fn from_files(files: Vec<PathBuf>) -> Option<String> {
    let texts = files.into_iter().rev();
    let mut texts = texts.filter_map(|file| std::fs::read_to_string(file).ok());
    texts.find_map(|text| index_in(&text))
}

/// `index-url` of the section `install` or `global`.
fn index_in(text: &str) -> Option<String> {
    let mut section = String::new();
    let mut found: Option<(bool, String)> = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            name.trim().clone_into(&mut section);
        } else if let Some((key, value)) = line.split_once(['=', ':'])
            && key.trim().replace('_', "-") == "index-url"
            && ["global", "install", "download"].contains(&section.as_str())
        {
            let is_own = section != "global";
            if is_own || !found.as_ref().is_some_and(|(own, _)| *own) {
                found = Some((is_own, value.trim().to_owned()));
            }
        }
    }
    found.map(|(_, value)| value).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::index_in;

    #[test]
    fn the_configuration_of_pip_is_read() {
        for (text, expected) in [
            ("", None),
            ("[global]\ncert = x\n", None),
            (
                "[global]\nindex-url = https://a.example/simple\n",
                Some("https://a.example/simple"),
            ),
            (
                "[global]\nindex_url: https://a.example\n[install]\nindex-url = https://b.example",
                Some("https://b.example"),
            ),
            (
                "[install]\nindex-url=https://b.example\n[global]\nindex-url=https://a.example",
                Some("https://b.example"),
            ),
            ("[other]\nindex-url = https://a.example", None),
        ] {
            assert_eq!(index_in(text).as_deref(), expected, "{text}");
        }
    }
}
