use std::sync::{Arc, Mutex};

use regex::Regex;
use windlass_process::{
    Ansi, Chunk, JobHandle, Limits, OutputSink, Progress, ReadOptions, Stream, StreamFilter,
    Supervisor,
};

use crate::{PATIENCE, PausePoint, all, sh, shim, supervisor};

async fn finished(script: &str) -> JobHandle {
    let job = supervisor().start(sh(script)).await.unwrap();
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    job
}

fn tail(job: &JobHandle, options: &ReadOptions) -> Vec<String> {
    job.tail(100, options)
        .lines
        .into_iter()
        .map(|line| line.text)
        .collect()
}

fn lines(numbers: impl Iterator<Item = u32>, after: &str) -> String {
    let lines: Vec<String> = numbers.map(|number| format!("{number}{after}\n")).collect();
    lines.concat()
}

#[tokio::test]
async fn streams_are_distinguished() {
    let job = finished("echo out; echo err >&2; printf more").await;
    let only = |stream| ReadOptions {
        stream,
        ..ReadOptions::default()
    };
    assert_eq!(tail(&job, &only(StreamFilter::Stdout)), ["out", "more"]);
    assert_eq!(tail(&job, &only(StreamFilter::Stderr)), ["err"]);
    assert_eq!(job.totals().total_bytes, 12);
}

#[tokio::test]
async fn streams_keep_their_order_of_arrival() {
    let pause_point = PausePoint::new();
    let script = "for i in 1 2 3; do echo out$i; pause; echo err$i >&2; pause; done";
    let job = supervisor().start(pause_point.spec(script)).await.unwrap();
    let mut written = job.watch_output();
    for line in 1..=6 {
        written.wait_for(|bytes| *bytes == line * 5).await.unwrap();
        pause_point.open().await;
    }
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    assert_eq!(
        tail(&job, &ReadOptions::default()),
        ["out1", "err1", "out2", "err2", "out3", "err3"]
    );
}

#[tokio::test]
async fn ring_limits_are_exact() {
    let limits = Limits {
        ring_lines: 10,
        ring_bytes: 100,
        ..Limits::default()
    };
    let supervisor = Supervisor::new(shim(), limits);
    let job = supervisor.start(sh("seq 1 1000")).await.unwrap();
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    let expected = lines(991..=1000, "");
    assert_eq!(all(&job), expected);
    let totals = job.totals();
    assert_eq!((totals.total_lines, totals.dropped_lines), (1000, 990));
    assert_eq!(totals.total_bytes, 3893);
    assert_eq!(totals.dropped_bytes, 3893 - expected.len() as u64);

    let job = supervisor
        .start(sh("head -c 5000 /dev/zero | tr '\\0' x"))
        .await
        .unwrap();
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    assert_eq!(all(&job), "x".repeat(100));
    assert_eq!(job.totals().dropped_bytes, 4900);
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn much_output_takes_little_memory() {
    let before = resident_kib();
    let job = finished("yes 0123456789abcdef | head -c 67108864").await;
    let totals = job.totals();
    assert_eq!(totals.total_bytes, 64 << 20);
    assert_eq!(totals.total_lines, (64_u64 << 20).div_ceil(17));
    assert!(totals.total_lines - totals.dropped_lines <= 1000);
    let job = finished("head -c 67108864 /dev/zero").await;
    let totals = job.totals();
    assert_eq!(
        (totals.total_bytes, totals.dropped_bytes),
        (64 << 20, (64 << 20) - (5 << 20))
    );
    assert_eq!(totals.total_lines, 1);
    // Other tests run in the same process, so this is coarse.
    assert!(resident_kib() < before + 48 * 1024);
}

#[tokio::test]
async fn a_character_in_two_writes_is_not_split() {
    let pause_point = PausePoint::new();
    let script =
        r"printf 'a\303'; pause; printf '\251\360\237'; pause; printf '\222\245|\377|\303'";
    let job = supervisor().start(pause_point.spec(script)).await.unwrap();
    let mut written = job.watch_output();
    written.wait_for(|bytes| *bytes == 1).await.unwrap();
    assert_eq!(all(&job), "a");
    pause_point.open().await;
    written.wait_for(|bytes| *bytes == 3).await.unwrap();
    assert_eq!(all(&job), "aé");
    pause_point.open().await;
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    assert_eq!(all(&job), "aé💥|\u{fffd}|\u{fffd}");
    assert_eq!(job.totals().total_bytes, 11);
}

#[tokio::test]
async fn an_unfinished_line_can_be_read() {
    let job = supervisor()
        .start(sh("printf 'Password: '; exec sleep 600"))
        .await
        .unwrap();
    let mut written = job.watch_output();
    written.wait_for(|bytes| *bytes == 10).await.unwrap();
    assert_eq!(tail(&job, &ReadOptions::default()), ["Password: "]);
    job.stop(PATIENCE).await.unwrap();
}

#[tokio::test]
async fn progress_is_folded_and_colours_are_stripped() {
    let job = finished(r"printf '10%%\r50%%\r100%%\n\033[31mred\033[0m\r\n'").await;
    let options = ReadOptions::default();
    assert_eq!(tail(&job, &options), ["100%", "red"]);
    let coloured = ReadOptions {
        ansi: Ansi::Keep,
        ..options
    };
    assert_eq!(tail(&job, &coloured), ["100%", "\x1b[31mred\x1b[0m"]);
    let whole = ReadOptions {
        progress: Progress::Keep,
        ..options
    };
    assert_eq!(tail(&job, &whole), ["10%\r50%\r100%", "red\r"]);
}

#[tokio::test]
async fn pages_of_a_running_job_neither_lose_nor_repeat_bytes() {
    let job = supervisor()
        .start(sh("seq 1 900 | sed s/$/é/"))
        .await
        .unwrap();
    let options = ReadOptions {
        max_bytes: 7,
        ..ReadOptions::raw()
    };
    let (mut cursor, mut text) = (0, String::new());
    loop {
        let ended = !job.state().is_running();
        let page = job.from(cursor, &options);
        assert_eq!(page.dropped, 0);
        for Chunk {
            stream,
            text: piece,
        } in page.chunks
        {
            assert_eq!(stream, Stream::Stdout);
            text.push_str(&piece);
        }
        if ended && page.next == cursor {
            break;
        }
        cursor = page.next;
        tokio::task::yield_now().await;
    }
    let expected = lines(1..=900, "é");
    assert_eq!(text, expected);
}

#[tokio::test]
async fn pages_of_an_ended_job_have_whole_lines_and_the_rest() {
    let job = finished(r"printf 'one\ntwo\nthr'").await;
    let options = ReadOptions {
        whole_lines: true,
        max_bytes: 6,
        ..ReadOptions::default()
    };
    let (mut cursor, mut pages) = (0, Vec::new());
    while cursor < job.totals().total_bytes {
        let page = job.from(cursor, &options);
        pages.extend(page.chunks.into_iter().map(|chunk| chunk.text));
        cursor = page.next;
    }
    assert_eq!(pages, ["one\n", "two\n", "thr"]);
    let whole = ReadOptions {
        max_bytes: 100,
        ..options
    };
    let page = job.from(0, &whole);
    assert_eq!((page.next, page.truncated), (11, false));
}

#[tokio::test]
async fn matching_lines_are_found_with_context() {
    let job = finished(r"seq 1 20; printf '\033[1;31merror\033[0m: broken\n'; seq 21 40").await;
    let error = Regex::new("^error:").unwrap();
    let found = job.grep(&error, 1, &ReadOptions::default());
    let lines: Vec<_> = found
        .lines
        .iter()
        .map(|found| (found.number, found.line.text.as_str()))
        .collect();
    assert_eq!(lines, [(20, "20"), (21, "error: broken"), (22, "21")]);
    assert_eq!((found.matches, found.truncated), (1, false));
}

#[tokio::test]
async fn a_result_is_limited_by_default() {
    let job = finished("seq 1000000001 1000002000").await;
    let tail = job.tail(1000, &ReadOptions::default());
    let bytes: usize = tail.lines.iter().map(|line| line.text.len() + 1).sum();
    assert!(tail.truncated && bytes <= 8192 && bytes > 8100, "{bytes}");
    assert_eq!(tail.lines.last().unwrap().text, "1000002000");
    let page = job.from(0, &ReadOptions::default());
    assert!(page.truncated && page.dropped > 0);
}

#[derive(Default)]
struct CollectingSink([Mutex<Vec<u8>>; 2]);

impl OutputSink for CollectingSink {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        let kept = &self.0[usize::from(stream == Stream::Stderr)];
        kept.lock().unwrap().extend_from_slice(bytes);
    }
}

#[tokio::test]
async fn a_sink_gets_every_byte_before_the_end_and_the_job_stores_none() {
    let kept = Arc::new(CollectingSink::default());
    let script = "head -c 3000000 /dev/zero; printf end; echo err >&2";
    let spec = sh(script).output_to(Arc::clone(&kept) as Arc<dyn OutputSink>);
    let job = supervisor().start(spec).await.unwrap();
    job.wait_exit(Some(PATIENCE)).await.unwrap();
    let stdout = kept.0[0].lock().unwrap();
    assert_eq!(stdout.len(), 3_000_003);
    assert!(stdout.ends_with(b"\0end"));
    assert_eq!(*kept.0[1].lock().unwrap(), b"err\n");
    assert_eq!(job.totals().total_bytes, 0);
}
