//! Many scripts at once.

use serde_json::json;
use windlass_sandbox::{Pool, PoolOptions};

use super::{Recorder, pool_with, request, within};

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
