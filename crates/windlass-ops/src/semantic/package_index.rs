//! The page of a package in a Python registry, in either of its forms: JSON (PEP 691) or HTML
//! (PEP 503).

use serde::Deserialize;
use url::Url;

#[derive(Deserialize)]
struct Page {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    url: String,
}

/// What to ask for: JSON where it is to be had.
pub const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.5, text/html;q=0.1";

/// Where a package's page is in a registry.
pub fn page_of(index: &Url, package: &str) -> Option<Url> {
    let mut page = index.clone();
    page.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .push(package)
        .push("");
    Some(page)
}

/// Where a file is, by a page that was read from that address.
pub fn file_on(page: &str, address: &Url, file: &str) -> Option<Url> {
    if let Ok(page) = serde_json::from_str::<Page>(page) {
        let found = page.files.into_iter().find(|it| it.filename == file)?;
        return address.join(&found.url).ok();
    }
    let mut links = page.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        rest[1..].split(quote).next()
    });
    let found = links.find(|link| {
        let path = link.split(['#', '?']).next().unwrap_or_default();
        path.rsplit('/').next() == Some(file)
    })?;
    let mut url = address.join(&found.replace("&amp;", "&")).ok()?;
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_found_on_either_page() {
        let index = Url::parse("https://example.org/root/simple").expect("a URL");
        let address = page_of(&index, "some-model").expect("an address");
        assert_eq!(
            address.as_str(),
            "https://example.org/root/simple/some-model/"
        );
        let with_slash = Url::parse("https://example.org/root/simple/").expect("a URL");
        assert_eq!(page_of(&with_slash, "some-model"), Some(address.clone()));
        let json = r#"{"meta": {}, "files": [
            {"filename": "a-1.tar.gz", "url": "https://files.example.org/a-1.tar.gz"},
            {"filename": "a-1.whl", "url": "../../files/a-1.whl", "hashes": {}}]}"#;
        let html = r#"<!DOCTYPE html><a href="../../files/a-1.tar.gz#sha256=0">a</a>
            <a href='../../files/a-1.whl#sha256=1' data-x="y">a-1.whl</a>"#;
        for page in [json, html] {
            let found = file_on(page, &address, "a-1.whl").expect("found");
            assert_eq!(found.as_str(), "https://example.org/root/files/a-1.whl");
            assert_eq!(file_on(page, &address, "b-1.whl"), None);
        }
    }
}
