use proptest::prelude::*;

use super::*;

/// The simplest implementation: everything is stored, and the end is searched for.
#[derive(Default)]
struct Model {
    all: Vec<(Stream, u8)>,
    start: usize,
}

impl Model {
    fn push(&mut self, stream: Stream, bytes: &[u8], max_lines: usize, max_bytes: usize) {
        self.all.extend(bytes.iter().map(|byte| (stream, *byte)));
        // A suffix with one line too many loses bytes until a newline is dropped, so whole lines
        // are dropped.
        let start_before = self.start;
        while self.all.len() - self.start > max_bytes || self.lines(self.start) > max_lines {
            self.start += 1;
        }
        let cut = self.all[self.start..].iter().take(3);
        if self.start > start_before {
            self.start += cut.take_while(|(_, byte)| is_continuation(*byte)).count();
        }
    }

    fn lines(&self, from: usize) -> usize {
        let kept = &self.all[from..];
        let ends = kept.iter().filter(|(_, byte)| *byte == b'\n').count();
        ends + usize::from(kept.last().is_some_and(|(_, byte)| *byte != b'\n'))
    }
}

fn kept(ring: &mut Ring) -> Vec<(Stream, u8)> {
    ring.make_contiguous();
    ring.segments_from(0)
        .flat_map(|(_, stream, run)| run.iter().map(move |byte| (stream, *byte)))
        .collect()
}

fn text(ring: &mut Ring) -> String {
    let bytes: Vec<u8> = kept(ring).into_iter().map(|(_, byte)| byte).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn limits_are_exact() {
    let check = |max_lines, max_bytes, pushes: &[&str], expected: &str, dropped: (u64, u64)| {
        let mut ring = Ring::new(max_lines, max_bytes);
        for push in pushes {
            ring.push(Stream::Stdout, push.as_bytes());
        }
        assert_eq!(text(&mut ring), expected, "{pushes:?}");
        let totals = ring.totals();
        let all = pushes.concat();
        assert_eq!(totals.total_bytes, all.len() as u64);
        assert_eq!(totals.total_lines, all.lines().count() as u64, "{pushes:?}");
        assert_eq!(
            (totals.dropped_bytes, totals.dropped_lines),
            dropped,
            "{pushes:?}"
        );
    };
    check(3, 100, &["a\nb\nc\n"], "a\nb\nc\n", (0, 0));
    check(3, 100, &["a\nb\nc\n", "d"], "b\nc\nd", (2, 1));
    check(3, 100, &["a\nb\nc\nd"], "b\nc\nd", (2, 1));
    check(3, 100, &["a\nb\nc\nd\n"], "b\nc\nd\n", (2, 1));
    check(1, 100, &["a\n", "b", "c"], "bc", (2, 1));
    check(9, 4, &["abcdef"], "cdef", (2, 0));
    check(9, 4, &["ab\n", "cdef"], "cdef", (3, 1));
    check(9, 4, &["aé", "bcd"], "bcd", (3, 0));
    check(9, 100, &[""], "", (0, 0));
}

#[test]
fn streams_are_kept_in_order() {
    let mut ring = Ring::new(10, 10);
    ring.push(Stream::Stdout, b"one");
    ring.push(Stream::Stdout, b"two");
    ring.push(Stream::Stderr, b"err");
    ring.push(Stream::Stdout, b"end");
    ring.make_contiguous();
    let runs: Vec<_> = ring.segments_from(0).collect();
    assert_eq!(
        runs,
        [
            (2, Stream::Stdout, &b"etwo"[..]),
            (6, Stream::Stderr, &b"err"[..]),
            (9, Stream::Stdout, &b"end"[..]),
        ]
    );
    let later: Vec<_> = ring.segments_from(8).collect();
    assert_eq!(
        later,
        [
            (8, Stream::Stderr, &b"r"[..]),
            (9, Stream::Stdout, &b"end"[..])
        ]
    );
    assert_eq!(ring.segments_from(12).count(), 0);
}

proptest! {
    #[test]
    fn the_ring_stores_what_the_model_stores(
        max_lines in 1usize..6,
        max_bytes in 1usize..24,
        pushes in prop::collection::vec(
            (any::<bool>(), prop::collection::vec(prop::sample::select(b"ab\n\n\xc3\xa9".to_vec()), 0..40)),
            0..12,
        ),
    ) {
        let mut ring = Ring::new(max_lines, max_bytes);
        let mut model = Model::default();
        for (err, bytes) in &pushes {
            let stream = if *err { Stream::Stderr } else { Stream::Stdout };
            ring.push(stream, bytes);
            model.push(stream, bytes, max_lines, max_bytes);
            prop_assert_eq!(kept(&mut ring), model.all[model.start..].to_vec());
            let totals = ring.totals();
            prop_assert_eq!(totals.total_bytes, model.all.len() as u64);
            prop_assert_eq!(totals.total_lines, model.lines(0) as u64);
            prop_assert_eq!(totals.dropped_bytes, model.start as u64);
            let gone = model.all[..model.start].iter().filter(|(_, byte)| *byte == b'\n').count();
            prop_assert_eq!(totals.dropped_lines, gone as u64);
        }
    }
}
