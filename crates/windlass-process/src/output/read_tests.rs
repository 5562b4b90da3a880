use proptest::prelude::*;

use super::super::Progress;
use super::*;

fn ring(pieces: &[(Stream, &str)]) -> Ring {
    let mut ring = Ring::new(1000, 1 << 20);
    for (stream, piece) in pieces {
        ring.push(*stream, piece.as_bytes());
    }
    ring
}

use Stream::{Stderr, Stdout};

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn the_tail_has_whole_lines_of_each_stream() {
    let mut ring = ring(&[
        (Stdout, "one\ntw"),
        (Stderr, "oops\n"),
        (Stdout, "o\n10%\r20%"),
        (Stderr, "x"),
    ]);
    let options = ReadOptions::default();
    let all = tail(&mut ring, 10, &options);
    assert_eq!(texts(&all.lines), ["one", "two", "oops", "20%", "x"]);
    assert!(!all.truncated);
    assert_eq!(texts(&tail(&mut ring, 2, &options).lines), ["20%", "x"]);
    let only = ReadOptions {
        stream: StreamFilter::Stderr,
        ..options
    };
    assert_eq!(texts(&tail(&mut ring, 10, &only).lines), ["oops", "x"]);
    let kept = ReadOptions {
        progress: Progress::Keep,
        ..options
    };
    assert_eq!(texts(&tail(&mut ring, 2, &kept).lines), ["10%\r20%", "x"]);
}

#[test]
fn a_result_is_limited() {
    let mut ring = ring(&[(Stdout, "aaaa\nbbbb\nccccé")]);
    let options = |max_bytes| ReadOptions {
        max_bytes,
        ..ReadOptions::default()
    };
    let some = tail(&mut ring, 10, &options(12));
    assert_eq!(
        (texts(&some.lines), some.truncated),
        (vec!["bbbb", "ccccé"], true)
    );
    let end = tail(&mut ring, 10, &options(3));
    assert_eq!((texts(&end.lines), end.truncated), (vec!["cé"], true));
    let found = grep(&mut ring, &Regex::new(".").unwrap(), 0, &options(7));
    assert_eq!(
        (found.lines.len(), found.matches, found.truncated),
        (2, 3, true)
    );
}

#[test]
fn colours_do_not_hide_a_match() {
    let mut ring = ring(&[(Stdout, "a\nb\n\x1b[31merr\x1b[0mor\nc\nd\ne\nerror\n")]);
    let error = Regex::new(r"\berror\b").unwrap();
    let found = grep(&mut ring, &error, 1, &ReadOptions::default());
    let seen: Vec<_> = found
        .lines
        .iter()
        .map(|f| (f.number, f.matches, f.line.text.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            (2, false, "b"),
            (3, true, "error"),
            (4, false, "c"),
            (6, false, "e"),
            (7, true, "error")
        ]
    );
    let raw = grep(&mut ring, &error, 0, &ReadOptions::raw());
    assert_eq!(raw.lines[0].line.text, "\x1b[31merr\x1b[0mor");
}

#[test]
fn a_page_reports_dropped_bytes() {
    let mut small = Ring::new(2, 100);
    small.push(Stdout, b"one\ntwo\nthree\n");
    let page = from(&mut small, 1, &ReadOptions::default());
    assert_eq!((page.dropped, page.next, page.truncated), (3, 14, false));
    assert_eq!(
        page.chunks,
        [Chunk {
            stream: Stdout,
            text: "two\nthree\n".into()
        }]
    );
    let beyond = from(&mut small, 99, &ReadOptions::default());
    assert_eq!(
        (beyond.next, beyond.chunks.len(), beyond.dropped),
        (14, 0, 0)
    );
}

#[test]
fn a_page_does_not_split_an_escape_sequence() {
    let mut ring = ring(&[(Stdout, "abc\x1b[31mred")]);
    let options = ReadOptions {
        max_bytes: 6,
        ..ReadOptions::default()
    };
    let mut cursor = 0;
    let mut text = String::new();
    while cursor < ring.end() {
        let page = from(&mut ring, cursor, &options);
        assert!(page.next > cursor);
        cursor = page.next;
        text.extend(page.chunks.into_iter().map(|chunk| chunk.text));
    }
    assert_eq!(text, "abcred");
}

proptest! {
    #[test]
    fn pages_neither_lose_nor_repeat_bytes(
        pieces in prop::collection::vec((any::<bool>(), "[a-cé💥\n\r]{0,12}"), 0..20),
        max_bytes in 1usize..20,
    ) {
        let mut ring = Ring::new(1000, 1 << 20);
        let mut expected = [String::new(), String::new()];
        for (err, piece) in &pieces {
            ring.push(if *err { Stderr } else { Stdout }, piece.as_bytes());
            expected[usize::from(*err)].push_str(piece);
        }
        let options = ReadOptions { max_bytes, ..ReadOptions::raw() };
        let mut seen = [String::new(), String::new()];
        let mut cursor = 0;
        loop {
            let page = from(&mut ring, cursor, &options);
            for chunk in &page.chunks {
                seen[usize::from(chunk.stream == Stderr)].push_str(&chunk.text);
            }
            prop_assert_eq!(page.truncated, page.next < ring.end());
            if page.next == cursor {
                break;
            }
            cursor = page.next;
        }
        prop_assert_eq!(cursor, ring.end());
        prop_assert_eq!(seen, expected);
    }
}

#[test]
fn pages_of_whole_lines_join_to_the_whole_output() {
    let mut ring = Ring::new(100, 10_000);
    ring.push(Stdout, b"one\ntwo\nthr");
    let options = ReadOptions {
        whole_lines: true,
        max_bytes: 6,
        ..ReadOptions::default()
    };
    let text = |page: &Page| -> String { page.chunks.iter().map(|it| it.text.as_str()).collect() };
    let first = from(&mut ring, 0, &options);
    assert_eq!((text(&first).as_str(), first.next), ("one\n", 4));
    assert!(first.truncated);
    let second = from(&mut ring, first.next, &options);
    assert_eq!((text(&second).as_str(), second.next), ("two\n", 8));
    let third = from(&mut ring, second.next, &options);
    assert_eq!((text(&third).as_str(), third.next), ("", 8));
    ring.push(Stdout, b"ee is longer than a page\n");
    let long = from(&mut ring, third.next, &options);
    assert_eq!((text(&long).as_str(), long.next), ("three ", 14));
}
