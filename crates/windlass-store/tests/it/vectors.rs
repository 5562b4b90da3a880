//! Which texts wait for vectors, and that vectors never outlive their text.

use std::collections::BTreeSet;

use serde_json::json;
use windlass_core::{EntityType, Patch, Result};
use windlass_store::{EmbeddedPiece, VectorFile, Writer};

use crate::support::{Sandbox, draft, origin, sandbox};

fn write<T>(sandbox: &Sandbox, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> T {
    sandbox.store.write(&origin(), work).expect("written")
}

fn waiting(sandbox: &Sandbox) -> Vec<String> {
    let waiting = sandbox.store.read(None, |reader| reader.unembedded(100));
    let waiting = waiting.expect("read").into_iter();
    waiting.map(|text| text.entity.title).collect()
}

fn vectors(sandbox: &Sandbox) -> u64 {
    sandbox
        .store
        .read(None, |reader| reader.vector_count())
        .expect("counted")
}

fn pieces(count: usize) -> Vec<EmbeddedPiece> {
    let piece = |at: usize| EmbeddedPiece {
        bytes: at..at + 1,
        vector: vec![1; 388],
    };
    (0..count).map(piece).collect()
}

#[test]
fn a_text_waits_until_it_has_vectors_and_again_when_it_changes() {
    let sandbox = sandbox();
    let note =
        |title: &str| sandbox.add(draft(EntityType::Note, title, Some("text"), &[], json!({})));
    let (one, two) = (note("one"), note("two"));
    assert_eq!(waiting(&sandbox), ["two", "one"], "the newest first");
    let texts = sandbox
        .store
        .read(None, |reader| reader.unembedded(2))
        .expect("read");
    let stored = write(&sandbox, |writer| {
        writer.store_vectors(&texts[1], &pieces(3))
    });
    assert!(stored);
    assert_eq!(
        (waiting(&sandbox), vectors(&sandbox)),
        (vec!["two".to_owned()], 3)
    );
    // A change while a text is embedded: its vectors are of the old text, and are not stored.
    let patch = |title: &str| Patch {
        title: Some(title.to_owned()),
        ..Patch::default()
    };
    let dialect = windlass_core::Dialect::Knowledge;
    write(&sandbox, |writer| {
        writer.update(&two.id, &patch("second"), dialect).map(drop)
    });
    let stored = write(&sandbox, |writer| {
        writer.store_vectors(&texts[0], &pieces(1))
    });
    assert!(!stored);
    // A changed text has no vectors until it has new ones.
    write(&sandbox, |writer| {
        writer.update(&one.id, &patch("first"), dialect).map(drop)
    });
    assert_eq!((waiting(&sandbox).len(), vectors(&sandbox)), (2, 0));
    write(&sandbox, |writer| writer.delete(&one.id).map(drop));
    assert_eq!(waiting(&sandbox), ["second"]);
}

/// However many words there are, few are looked at for a misspelt one, and those that are meant are
/// among them, even if the first letter is wrong.
#[test]
fn a_misspelt_word_is_compared_with_few_others() {
    let sandbox = sandbox();
    let letters = || (b'a'..=b'z').map(char::from);
    let mut words: BTreeSet<String> = BTreeSet::new();
    for first in letters() {
        for second in letters() {
            for third in letters() {
                // The same beginning, or the same end.
                words.insert(format!("co{first}{second}{third}ion"));
                words.insert(format!("{first}{second}{third}ction"));
            }
        }
    }
    words.insert("migration".to_owned());
    write(&sandbox, |writer| writer.add_words(&words));
    let like = |word: &str, differs: usize| {
        let found = sandbox
            .store
            .read(None, |reader| reader.words_like(word, differs));
        found.expect("read")
    };
    let found = like("conetion", 2);
    assert!(found.len() <= 5_000, "{} words", found.len());
    for misspelt in [
        "migartion",
        "nigration",
        "migratoin",
        "igration",
        "migrationn",
    ] {
        let found = like(misspelt, 2);
        assert!(found.contains(&"migration".to_owned()), "{misspelt}");
    }
    assert!(like("a", 1).is_empty());
}

#[test]
fn words_of_texts_are_kept_for_corrections() {
    let sandbox = sandbox();
    let note = draft(
        EntityType::Note,
        "Überprüfung of the Migration, twice the migration",
        Some("reset_counters in v12beta, 2026-11-02"),
        &["deployment"],
        json!({}),
    );
    let note = sandbox.add(note);
    let new = |entity| {
        let found = sandbox
            .store
            .read(None, |reader| reader.new_words([entity]));
        found.expect("read").into_iter().collect::<Vec<String>>()
    };
    let words = new(&note);
    let expected = [
        "counters",
        "deployment",
        "migration",
        "reset",
        "twice",
        "überprüfung",
    ];
    assert_eq!(words, expected, "no numbers, nothing short, each once");
    write(&sandbox, |writer| {
        writer.add_words(&BTreeSet::from([
            "migration".to_owned(),
            "reset".to_owned(),
        ]))
    });
    let rest = ["counters", "deployment", "twice", "überprüfung"];
    assert_eq!(new(&note), rest, "what is known is not new");
}

#[test]
fn one_process_at_a_time_makes_vectors() {
    let sandbox = sandbox();
    let lease =
        |owner: &str, millis: i64| write(&sandbox, |writer| writer.lease_embedding(owner, millis));
    assert!(lease("a", 60_000));
    assert!(lease("a", 60_000), "it renews its own");
    assert!(!lease("b", 60_000));
    assert!(lease("a", -1), "over at once");
    assert!(lease("b", 60_000));
    write(&sandbox, |writer| writer.end_embedding("a"));
    assert!(!lease("a", 60_000), "only its own is given back");
    write(&sandbox, |writer| writer.end_embedding("b"));
    assert!(lease("a", 60_000));
}

#[test]
fn vectors_of_another_model_are_dropped() {
    let sandbox = sandbox();
    sandbox.add(draft(EntityType::Note, "one", None, &[], json!({})));
    write(&sandbox, |writer| writer.use_vector_model("first"));
    let texts = sandbox
        .store
        .read(None, |reader| reader.unembedded(1))
        .expect("read");
    write(&sandbox, |writer| {
        writer.store_vectors(&texts[0], &pieces(1))
    });
    write(&sandbox, |writer| writer.use_vector_model("first"));
    assert_eq!(vectors(&sandbox), 1);
    let file = VectorFile {
        name: "abc".to_owned(),
        last: 1,
    };
    write(&sandbox, |writer| writer.use_vector_file(&file).map(drop));
    write(&sandbox, |writer| writer.use_vector_model("second"));
    assert_eq!((vectors(&sandbox), waiting(&sandbox).len()), (0, 1));
    let known = sandbox
        .store
        .read(None, |reader| reader.vector_file())
        .expect("read");
    assert_eq!(known, None);
    let last = sandbox
        .store
        .read(None, |reader| reader.last_vector())
        .expect("read");
    assert_eq!(last, 1, "numbers are not given twice");
}
