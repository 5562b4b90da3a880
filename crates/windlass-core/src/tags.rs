//! Tags: a set of short labels on an entity.

use crate::{Error, Result};

pub const MAX_TAGS: usize = 50;
pub const MAX_TAG_CHARS: usize = 100;

/// Trims, checks and removes duplicates, in the given order.
pub fn check_tags(field: &str, given: &[String]) -> Result<Vec<String>> {
    let mut tags: Vec<String> = Vec::with_capacity(given.len());
    for (at, tag) in given.iter().enumerate() {
        let tag = tag.trim();
        let count = tag.chars().count();
        if count == 0 || count > MAX_TAG_CHARS {
            return Err(Error::validation(
                &format!("{field}[{at}]"),
                format!("a tag has 1 to {MAX_TAG_CHARS} characters, this one has {count}"),
            ));
        }
        if !tags.iter().any(|have| have == tag) {
            tags.push(tag.to_owned());
        }
    }
    check_tag_count(field, tags.len())?;
    Ok(tags)
}

pub(crate) fn check_tag_count(field: &str, count: usize) -> Result<()> {
    if count > MAX_TAGS {
        return Err(Error::validation(
            field,
            format!("an entity has at most {MAX_TAGS} tags, not {count}"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("tag-{at}")).collect()
    }

    #[test]
    fn count_and_length_are_limited() {
        assert!(check_tags("tags", &many(50)).is_ok());
        assert!(check_tags("tags", &many(51)).is_err());
        assert!(check_tags("tags", &["é".repeat(100)]).is_ok());
        assert!(check_tags("tags", &["é".repeat(101)]).is_err());
        let error = check_tags("tags", &["ok".into(), "  ".into()]).unwrap_err();
        assert_eq!(error.data()["field"], "tags[1]");
    }

    #[test]
    fn duplicates_are_removed_in_the_given_order() {
        let given = [" b ", "a", "b"].map(String::from);
        assert_eq!(check_tags("tags", &given), Ok(vec!["b".into(), "a".into()]));
    }
}
