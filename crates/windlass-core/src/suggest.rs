//! "Did you mean": the nearest of a set of words.

/// The candidate nearest to `given`, if one is near enough to be a slip of the hand.
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
    fn finds_slips_only() {
        let words = ["title", "type", "tags", "content"];
        assert_eq!(nearest("titel", words), Some("title"));
        assert_eq!(nearest("TAG", words), Some("tags"));
        assert_eq!(nearest("quux", words), None);
    }
}
