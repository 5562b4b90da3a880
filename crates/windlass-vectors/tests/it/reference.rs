//! The same texts through this crate and through the original model.

use windlass_vectors::DIMENSIONS;

use crate::model;

/// A text, its tokens and its vector as `make_reference.py` found them.
struct Reference {
    text: String,
    tokens: Vec<u16>,
    vector: Vec<f64>,
}

fn references() -> Vec<Reference> {
    let texts: Vec<String> =
        serde_json::from_str(include_str!("../data/texts.json")).expect("a list of texts");
    let mut rest: &[u8] = include_bytes!("../data/reference.bin");
    let mut numbers = |count: usize| -> Vec<[u8; 2]> {
        let (bytes, after) = rest.split_at(2 * count);
        rest = after;
        bytes.as_chunks::<2>().0.to_vec()
    };
    let found = texts
        .into_iter()
        .map(|text| {
            let count = usize::from(u16::from_le_bytes(numbers(1)[0]));
            let tokens = numbers(count).into_iter().map(u16::from_le_bytes);
            Reference {
                text,
                tokens: tokens.collect(),
                vector: numbers(DIMENSIONS)
                    .into_iter()
                    .map(|bytes| f64::from(i16::from_le_bytes(bytes)) / 32_767.0)
                    .collect(),
            }
        })
        .collect();
    assert!(rest.is_empty(), "reference.bin has more than texts.json");
    found
}

fn cosine(one: &[f64], other: &[f64]) -> f64 {
    let product = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    };
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

/// The lowest and the mean cosine over all texts.
fn compare(vectors: impl Fn(&str) -> Vec<f64>) -> (f64, f64) {
    let references = references();
    assert!(references.len() >= 200, "{} texts", references.len());
    let cosines: Vec<f64> = references
        .iter()
        .map(|reference| cosine(&vectors(&reference.text), &reference.vector))
        .collect();
    let lowest = cosines.iter().copied().fold(1.0, f64::min);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    (lowest, mean)
}

#[test]
fn tokens_and_vectors_are_those_of_the_original() {
    let Some((_folder, model)) = model(true) else {
        return;
    };
    for reference in references() {
        let mut tokens = model.tokenizer().tokens(&reference.text);
        tokens.truncate(254);
        let whole: Vec<u16> = [&[101], tokens.as_slice(), &[102]].concat();
        assert_eq!(whole, reference.tokens, "{}", reference.text);
    }
    let components = |text: &str| {
        let found = model.components(&model.tokenizer().tokens(text));
        found.map(f64::from).to_vec()
    };
    let (lowest, mean) = compare(components);
    assert!(lowest >= 0.999, "lowest {lowest}, mean {mean}");
}

#[test]
fn bytes_cost_almost_nothing() {
    let Some((_folder, model)) = model(false) else {
        return;
    };
    let (lowest, mean) = compare(|text| {
        let vector = model.embed(text);
        let scale = f64::from(vector.scale);
        vector.bytes.map(|it| f64::from(it) * scale).to_vec()
    });
    assert!(lowest >= 0.99, "lowest {lowest}, mean {mean}");
}
