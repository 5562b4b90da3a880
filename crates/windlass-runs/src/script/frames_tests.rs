//! Frames among hostile text.

use proptest::prelude::*;

use super::*;

const NONCE: &str = "0123456789abcdef";

fn line(nonce: &str, sequence: usize, kind: &str, argument: &str, payload: &[u8]) -> String {
    let payload = STANDARD.encode(payload);
    let length = payload.len();
    format!("w1:{nonce}:{sequence}:{kind}:0:{argument}:{length}:{payload}:.\n")
}

/// The frames of a step that wrote these chunks, and what a reader should make of them.
fn session(chunks: &[Vec<u8>]) -> (Vec<String>, Vec<Event>) {
    let mut lines = vec![line(NONCE, 0, "b", "", b"")];
    let mut events = vec![Event::StepBegan(0)];
    for (index, chunk) in chunks.iter().enumerate() {
        let stream = if index % 2 == 0 {
            Stream::Stdout
        } else {
            Stream::Stderr
        };
        let argument = if index % 2 == 0 { "1" } else { "2" };
        lines.push(line(NONCE, index + 1, "o", argument, chunk));
        events.push(Event::Output(0, stream, chunk.clone()));
    }
    lines.push(line(NONCE, chunks.len() + 1, "e", "exit,3", b""));
    events.push(Event::StepEnded(0, StepResult::Ended(3, Verdict::Exit)));
    lines.push(line(NONCE, chunks.len() + 2, "z", "1", b""));
    events.push(Event::Ended(1));
    (lines, events)
}

fn read(text: &[u8], piece: usize) -> Vec<Event> {
    let mut reader = FrameReader::new(NONCE);
    let mut events = Vec::new();
    for piece in text.chunks(piece.max(1)) {
        reader.push(piece, &mut events);
    }
    reader.finish(&mut events);
    events
}

/// Text of other programs, and of other runs: never a frame of this one.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        Just(line("fedcba9876543210", 1, "z", "0", b"").into_bytes()),
        Just(format!("w1:{NONCE}:").into_bytes()),
        Just(format!("w1:{NONCE}:1:z:").into_bytes()),
        Just(format!("w1:{NONCE}:x:z::0:0::.").into_bytes()),
        Just(format!("w1:{NONCE}:1:o:0:1:99:QUJD:.").into_bytes()),
        Just(vec![b'a'; LONGEST_LINE * 2 + 7]),
        Just(b"::error::w1:".to_vec()),
    ]
    .prop_map(|mut text| {
        // Whatever it is, it cannot know the nonce and be a whole frame.
        text.push(b'\n');
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn frames_are_read_among_any_text_in_any_pieces(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..12),
        noise in prop::collection::vec(hostile(), 16),
        in_front in "(2026-11-18T09:00:00.0000000Z |\\[task\\] )?",
        piece in 1usize..9000,
    ) {
        let (lines, expected) = session(&chunks);
        let mut text = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            text.extend_from_slice(&noise[index % noise.len()]);
            text.extend_from_slice(in_front.as_bytes());
            text.extend_from_slice(line.as_bytes());
        }
        prop_assert_eq!(read(&text, piece), expected);
    }

    #[test]
    fn frames_may_come_twice_and_out_of_order(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 1..12),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        piece in 1usize..500,
    ) {
        let (lines, expected) = session(&chunks);
        let mut shuffled: Vec<&String> = lines.iter().chain(&lines).collect();
        for (at, other) in order.iter().enumerate() {
            let (one, two) = (at % shuffled.len(), other.index(shuffled.len()));
            shuffled.swap(one, two);
        }
        let text: String = shuffled.into_iter().map(String::as_str).collect();
        prop_assert_eq!(read(text.as_bytes(), piece), expected);
    }

    #[test]
    fn a_log_that_was_cut_loses_only_what_is_gone(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..50), 2..12),
        gone in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
    ) {
        let (mut lines, mut expected) = session(&chunks);
        let gone = gone.index(lines.len() - 1);
        lines.remove(gone);
        expected[gone] = Event::Lost(1);
        prop_assert_eq!(read(lines.concat().as_bytes(), 100), expected.clone());
        // And cut in the middle of a line.
        let text = lines.concat();
        let cut = &text[..end.index(text.len())];
        let events = read(cut.as_bytes(), 77);
        prop_assert!(expected.starts_with(&events), "{events:?}");
    }

    #[test]
    fn any_bytes_are_survived(
        text in prop::collection::vec(any::<u8>(), 0..3000),
        piece in 1usize..100,
    ) {
        prop_assert_eq!(read(&text, piece), vec![]);
    }
}

#[test]
fn a_line_of_100_megabytes_takes_no_memory_and_hides_no_frame_behind_it() {
    let mut reader = FrameReader::new(NONCE);
    let mut events = Vec::new();
    let part = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        reader.push(&part, &mut events);
        assert!(
            reader.line.capacity() < 4 * LONGEST_LINE,
            "{}",
            reader.line.capacity()
        );
    }
    reader.push(line(NONCE, 0, "h", "1", b"").as_bytes(), &mut events);
    assert_eq!(events, [Event::Began]);
}

#[test]
fn a_gap_that_never_closes_does_not_fill_the_memory() {
    let mut reader = FrameReader::new(NONCE);
    let mut events = Vec::new();
    let chunk = vec![b'y'; 9000];
    for sequence in 1..2000 {
        reader.push(
            line(NONCE, sequence, "o", "1", &chunk).as_bytes(),
            &mut events,
        );
        assert!(reader.pending_bytes <= MOST_PENDING_BYTES + LONGEST_LINE);
    }
    assert_eq!(events[0], Event::Lost(1));
}

#[test]
fn a_masked_payload_shows_what_is_around_the_mask() {
    let payload = STANDARD.encode("before the-secret behind");
    let masked = payload.replace(&payload[8..24], MASK);
    let text = format!("w1:{NONCE}:0:o:0:1:{}:{masked}:.\n", payload.len());
    let expected = Event::Output(0, Stream::Stdout, b"before***behind".to_vec());
    assert_eq!(read(text.as_bytes(), 1000), [expected]);
}

#[test]
fn results_of_steps_are_told_apart() {
    let ended = |code, verdict| Some(StepResult::Ended(code, verdict));
    for (argument, expected) in [
        ("met,0", ended(0, Verdict::Met)),
        ("timeout,143", ended(143, Verdict::Timeout)),
        ("text2.4,0", ended(0, Verdict::Text(Stream::Stderr, 4))),
        ("missing.1,0", ended(0, Verdict::FileMissing(1))),
        ("shell", Some(StepResult::Unstarted(Unstarted::NoShell))),
        ("met", None),
        ("other,1", None),
    ] {
        assert_eq!(step_result(argument), expected, "{argument}");
    }
}
