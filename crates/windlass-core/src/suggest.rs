//! "Did you mean": the candidate most similar to a word.

/// The candidate most similar to `given`, if it is similar enough to be a typing error.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            (
                strsim::jaro_winkler(&given, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(score, _)| *score > 0.78)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_only_typing_errors() {
        let words = ["title", "type", "tags", "content"];
        assert_eq!(nearest("titel", words), Some("title"));
        assert_eq!(nearest("TAG", words), Some("tags"));
        assert_eq!(nearest("quux", words), None);
    }
}
