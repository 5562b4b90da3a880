//! A section of a text file that belongs to Windlass, between two marker lines. Everything around
//! it belongs to people and is kept byte for byte.

use std::ops::Range;

use super::document::Broken;

/// How the first line of the section begins.
const BEGIN: &str = "<!-- windlass:begin";
const BEGIN_LINE: &str = "<!-- windlass:begin: written by `windlass setup`, which replaces everything up to windlass:end -->";
const END: &str = "<!-- windlass:end -->";

/// The text with the section in it: in place of the one that is there, or at the end. A new file
/// begins with `header`.
pub fn with_section(text: &str, header: &str, body: &str) -> Result<String, Broken> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let section = [BEGIN_LINE, body.trim_end(), END]
        .join("\n")
        .replace('\n', newline);
    if let Some(range) = find(text)? {
        return Ok(format!(
            "{}{section}{}",
            &text[..range.start],
            &text[range.end..]
        ));
    }
    Ok(match text {
        "" => format!("{header}{section}\n"),
        _ if text.ends_with('\n') => format!("{text}{newline}{section}{newline}"),
        // Without a line end at the end of the file, so that removing it gives back the same text.
        _ => format!("{text}{newline}{newline}{section}"),
    })
}

/// A text without its section.
#[derive(Debug, PartialEq, Eq)]
pub enum Removed {
    /// There was none.
    NoSection,
    /// The file has nothing else than what [`with_section`] writes into a new one.
    NothingLeft,
    Left(String),
}

/// Takes the section out of the text.
pub fn without_section(text: &str, header: &str) -> Result<Removed, Broken> {
    let Some(range) = find(text)? else {
        return Ok(Removed::NoSection);
    };
    let (mut before, after) = (&text[..range.start], &text[range.end..]);
    let after = match after.strip_prefix("\r\n").or(after.strip_prefix('\n')) {
        Some(after) => {
            // The empty line above the section was written with it.
            let shorter = without_line_end(before).filter(|shorter| shorter.ends_with('\n'));
            before = shorter.unwrap_or(before);
            after
        }
        None if after.is_empty() => {
            // The file had no line end at its end before the section was written.
            let shorter = without_line_end(before).and_then(without_line_end);
            before = shorter.unwrap_or(before);
            after
        }
        None => after,
    };
    let left = format!("{before}{after}");
    // The empty line below a header went with the section.
    let is_only_header = !header.is_empty() && left.trim_end() == header.trim_end();
    Ok(if left.is_empty() || is_only_header {
        Removed::NothingLeft
    } else {
        Removed::Left(left)
    })
}

fn without_line_end(text: &str) -> Option<&str> {
    text.strip_suffix("\r\n").or(text.strip_suffix('\n'))
}

/// Where the section is, with its markers.
fn find(text: &str) -> Result<Option<Range<usize>>, Broken> {
    let Some(start) = text.find(BEGIN) else {
        return Ok(None);
    };
    let Some(length) = text[start..].find(END) else {
        let message = format!("the section of Windlass has no line {END}");
        return Err(Broken::at(text, start, message));
    };
    let end = start + length + END.len();
    if let Some(second) = text[end..].find(BEGIN) {
        let message = "there is a second section of Windlass";
        return Err(Broken::at(text, end + second, message));
    }
    Ok(Some(start..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_around_the_section_is_kept_byte_for_byte() {
        for text in [
            "# Ours\n\nText.\n",
            "# Ours",
            "# Ours\r\n\r\nText.\r\n",
            "# Ours\r\nText.",
            "\n",
            "\n\n\n",
            "# Ours\n\n\n",
            " ",
        ] {
            let added = with_section(text, "---\n", "Body.\n").unwrap();
            assert!(added.starts_with(text), "{added:?}");
            assert_eq!(with_section(&added, "", "Body.").unwrap(), added, "twice");
            let newer = with_section(&added, "", "Newer.\nBody.").unwrap();
            assert!(newer.contains("Newer."));
            for added in [added, newer] {
                let left = without_section(&added, "---\n").unwrap();
                assert_eq!(left, Removed::Left(text.to_owned()), "{added:?}");
            }
        }
    }

    #[test]
    fn text_that_people_wrote_below_it_stays() {
        let added = with_section("# Ours\n", "", "Body.").unwrap();
        let left = without_section(&format!("{added}\nMore.\n"), "").unwrap();
        assert_eq!(left, Removed::Left("# Ours\n\nMore.\n".to_owned()));
    }

    #[test]
    fn a_file_that_only_we_filled_is_gone() {
        for header in ["", "---\nname: windlass\n---\n\n"] {
            let made = with_section("", header, "Body.").unwrap();
            assert!(made.starts_with(header) && made.ends_with("-->\n"));
            assert_eq!(
                without_section(&made, header).unwrap(),
                Removed::NothingLeft
            );
        }
        assert_eq!(without_section("# Ours\n", "").unwrap(), Removed::NoSection);
    }

    #[test]
    fn markers_that_do_not_fit_are_refused_with_their_line() {
        let broken = with_section("a\n<!-- windlass:begin -->\n", "", "Body.");
        assert_eq!(broken.unwrap_err().line, 2);
        let once = with_section("", "", "Body.").unwrap();
        let broken = without_section(&format!("{once}{once}"), "");
        assert_eq!(broken.unwrap_err().line, 4);
    }
}
