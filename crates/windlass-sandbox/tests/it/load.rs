//! Many scripts at once.

use serde_json::json;
use windlass_sandbox::{ErrorCode, Pool, PoolOptions};

use super::{Recorder, code_of, pool, pool_with, request, within, works};

/// The resident memory of this process and its workers, in KiB.
#[cfg(target_os = "linux")]
fn resident(pids: &[u32]) -> u64 {
    let of = |pid: u32| -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok())
            .unwrap_or(0)
    };
    pids.iter().map(|pid| of(*pid)).sum::<u64>() + of(std::process::id())
}

/// The highest resident memory of this process so far, in KiB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap()
        .trim()
        .trim_end_matches("kB")
        .trim()
        .parse()
        .unwrap()
}

/// The peak belongs to the process, so these scripts share a test and follow each other.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_script_cannot_fill_the_memory_of_its_host() {
    let pool = pool();
    // Ten gigabytes of results, which the worker does not read before the script yields.
    for code in [
        "for (let i = 0; i < 1000; i++) notes.long(); for (;;) {}",
        "for (let i = 0; i < 1000; i++) notes.long()",
        "const all = []; for (let i = 0; i < 1000; i++) all.push(notes.long()); await Promise.all(all)",
    ] {
        let outcome = pool
            .execute(within(code, 2_000), &Recorder::default())
            .await;
        let ended = code_of(&outcome);
        let expected = [Ok(ErrorCode::Timeout), Ok(ErrorCode::MemoryLimit)];
        assert!(expected.contains(&ended), "{code}: {:?}", outcome.result);
        assert!(peak() < 300_000, "{code}: {} KiB", peak());
        works(&pool).await;
    }
    // Long arguments and long results: neither side may wait for the other for ever.
    let code = "const x = 'x'.repeat(2000000); const all = [];
        for (let i = 0; i < 1000; i++) all.push(notes.long({ x })); await Promise.all(all)";
    let outcome = pool
        .execute(within(code, 60_000), &Recorder::default())
        .await;
    assert_eq!(code_of(&outcome), Ok(ErrorCode::MemoryLimit), "{outcome:?}");
    assert!(peak() < 500_000, "{} KiB", peak());
    works(&pool).await;
}

#[tokio::test]
async fn many_calls_at_once_and_long_results_one_by_one() {
    let pool = pool();
    let small = "(await Promise.all(Array.from({ length: 1000 }, (_, i) => tasks.get(i)))).length";
    let outcome = pool.execute(request(small), &Recorder::default()).await;
    assert_eq!(outcome.result, Ok(json!(1_000)));
    let long = "let sum = 0;
        await Promise.all(Array.from({ length: 20 }, async () => {
            const text = await notes.long();
            sum += text.length;
        }));
        sum";
    let outcome = pool
        .execute(within(long, 60_000), &Recorder::default())
        .await;
    assert_eq!(outcome.result, Ok(json!(200_000_000)));
}

/// Four clients, each with `count` scripts one after another.
async fn four_clients(pool: &Pool, count: usize) {
    let client = |number: usize| {
        let pool = pool.clone();
        tokio::spawn(async move {
            for index in 0..count {
                let code = format!(
                    "const all = await Promise.all([tasks.get({index}), tasks.list()]);
                     console.log('x'.repeat(1000));
                     const big = Array.from({{ length: 1000 }}, (_, i) => ({{ i }}));
                     [{number}, all[0].asked.id, all[1].length, big.length]"
                );
                let outcome = pool.execute(request(&code), &Recorder::default()).await;
                assert_eq!(outcome.result, Ok(json!([number, index, 2, 1_000])));
            }
        })
    };
    let clients: Vec<_> = (0..4).map(client).collect();
    for client in clients {
        client.await.unwrap();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_scripts_by_four_clients_leak_no_memory() {
    let pool = pool_with(PoolOptions {
        idle: 4,
        most: 4,
        ..PoolOptions::default()
    });
    pool.warm();
    four_clients(&pool, 50).await;
    let workers = pool.idle_workers();
    let before = resident(&workers);
    four_clients(&pool, 200).await;
    // The workers were not replaced, so both numbers are of the same processes.
    let mut after_workers = pool.idle_workers();
    let mut before_workers = workers.clone();
    after_workers.sort_unstable();
    before_workers.sort_unstable();
    assert_eq!(after_workers, before_workers);
    let after = resident(&workers);
    assert!(after < before + 4_000, "{before} KiB grew to {after} KiB");
}

#[tokio::test]
async fn scripts_wait_if_all_workers_are_busy() {
    let pool = pool_with(PoolOptions {
        idle: 1,
        most: 2,
        ..PoolOptions::default()
    });
    let scripts = (0..20).map(|number| {
        let pool = pool.clone();
        async move {
            let code = format!("await tasks.nextReady(); {number}");
            let outcome = pool
                .execute(within(&code, 10_000), &Recorder::default())
                .await;
            assert_eq!(outcome.result, Ok(json!(number)));
        }
    });
    futures::future::join_all(scripts).await;
    assert!(pool.idle_workers().len() <= 1);
}
