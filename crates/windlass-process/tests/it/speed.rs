//! Not checks but measures, by hand: `cargo test --test it speed -- --ignored --nocapture`.

use std::io::Read;
use std::time::{Duration, Instant};

use windlass_process::Spec;

use crate::{PATIENCE, supervisor};

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn start_and_end_of_true() {
    let supervisor = supervisor();
    let (mut bare, mut std_bare, mut job) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..500 {
        let start = Instant::now();
        tokio::process::Command::new("true").status().await.unwrap();
        bare.push(start.elapsed());
        let start = Instant::now();
        std::process::Command::new("true").status().unwrap();
        std_bare.push(start.elapsed());
        let start = Instant::now();
        let started = supervisor.start(Spec::new("true", "/")).await.unwrap();
        started.wait_exit(Some(PATIENCE)).await.unwrap();
        job.push(start.elapsed());
    }
    let first = {
        let mut times = Vec::new();
        for _ in 0..50 {
            let supervisor = crate::supervisor();
            let start = Instant::now();
            let started = supervisor.start(Spec::new("true", "/")).await.unwrap();
            started.wait_exit(Some(PATIENCE)).await.unwrap();
            times.push(start.elapsed());
        }
        middle(times)
    };
    println!(
        "true: tokio {:?}, std {:?}, job {:?}, first job of a supervisor {first:?}",
        middle(bare),
        middle(std_bare),
        middle(job)
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn one_gibibyte() {
    for script in ["yes | head -c 1073741824", "head -c 1073741824 /dev/zero"] {
        let start = Instant::now();
        let mut child = std::process::Command::new("sh")
            .args(["-c", script])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let mut buffer = vec![0; 64 * 1024];
        while pipe.read(&mut buffer).unwrap() > 0 {}
        child.wait().unwrap();
        let bare = start.elapsed();
        let supervisor = supervisor();
        let start = Instant::now();
        let job = supervisor.start(crate::sh(script)).await.unwrap();
        job.wait_exit(None).await.unwrap();
        assert_eq!(job.totals().total_bytes, 1 << 30);
        println!("{script}: bare loop {bare:?}, job {:?}", start.elapsed());
    }
}
