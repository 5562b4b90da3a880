//! What a script cannot reach: the machine, other scripts, its host.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_sandbox::{ErrorCode, PoolOptions, Request};

use super::{Recorder, code_of, failure, pool, pool_of, pool_with, request, value, works};

#[tokio::test]
async fn scripts_cannot_reach_the_machine() {
    let names = "process require module fs Deno Bun std os navigator fetch XMLHttpRequest Worker
        WebAssembly SharedArrayBuffer Atomics WeakRef Proxy eval Function
        setInterval Intl importScripts __windlass print load";
    for name in names.split_whitespace() {
        assert_eq!(
            value(&format!("typeof {name}")).await,
            json!("undefined"),
            "{name}"
        );
    }
}

#[tokio::test]
async fn no_code_is_created_from_strings() {
    for code in [
        "eval('1')",
        "(0, eval)('1')",
        "new Function('return 1')()",
        "(() => {}).constructor('return 1')()",
        "(function* () {}).constructor('yield 1')()",
        "(async () => {}).constructor('return 1')()",
        "(async function* () {}).constructor('return 1')()",
        "tasks.get.constructor('return 1')()",
        "console.log.constructor('return 1')()",
        "Reflect.construct(Object.getPrototypeOf(() => {}).constructor, ['return 1'])",
        "setTimeout('1', 1)",
    ] {
        let failure = failure(code).await;
        assert_eq!(failure.code, ErrorCode::JsRuntimeError, "{code}");
    }
    for code in ["import('fs')", "import fs from 'fs'", "await import(tasks)"] {
        assert_eq!(failure(code).await.code, ErrorCode::InvalidParams, "{code}");
    }
}

#[tokio::test]
async fn scripts_do_not_affect_the_next_script() {
    let pool = pool_with(PoolOptions {
        idle: 1,
        most: 1,
        ..PoolOptions::default()
    });
    pool.warm();
    let worker = pool.idle_workers();
    let pollute =
        "Object.prototype.polluted = 1; Array.prototype.map = () => 'bad'; globalThis.left = 2;
        Promise.prototype.then = () => {}; JSON.parse = () => 'bad'; String.prototype.split = 5; 0";
    pool.execute(request(pollute), &Recorder::default()).await;
    let look = "[typeof left, ({}).polluted === undefined, [1].map(x => x + 1), JSON.parse('1'), (await tasks.list()).length]";
    let outcome = pool.execute(request(look), &Recorder::default()).await;
    assert_eq!(outcome.result, Ok(json!(["undefined", true, [2], 1, 2])));
    // Otherwise the test would prove nothing.
    assert_eq!(pool.idle_workers(), worker);
}

#[tokio::test]
async fn the_sdk_cannot_be_changed() {
    for code in [
        "tasks = 1",
        "tasks.get = 1",
        "delete tasks.get",
        "tasks.more = 1",
        "console.log = 1",
        "tasks.get.more = 1",
    ] {
        assert_eq!(
            failure(code).await.code,
            ErrorCode::JsRuntimeError,
            "{code}"
        );
    }
    assert_eq!(value("const tasks = [1]; tasks.length").await, json!(1));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_kernel_filters_the_system_calls_of_a_worker() {
    let pool = pool();
    works(&pool).await;
    assert_eq!(pool.is_jailed(), Some(true));
    let pid = pool.idle_workers()[0];
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert!(status.contains("Seccomp:\t2"), "{status}");
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let status = std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap();
        assert!(status.contains("Seccomp:\t2"), "{status}");
    }
    let environment = std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    assert_eq!(environment, "TZ=UTC\0");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_filters_a_script_runs_only_if_that_was_accepted() {
    let pool = pool_of("worker-without-filters", PoolOptions::default());
    assert!(!pool.check_jail().await.unwrap());
    let host = Recorder::default();
    let outcome = pool.execute(request("await tasks.get(1)"), &host).await;
    assert_eq!(code_of(&outcome), Ok(ErrorCode::NotIsolated));
    let failure = outcome.result.unwrap_err();
    assert!(failure.message.contains("seccomp"), "{}", failure.message);
    assert!(failure.hint.unwrap().contains("unjailed = true"));
    assert!(host.calls().is_empty());
    assert_eq!(pool.is_jailed(), Some(false));
    let accepted = Request {
        unjailed: true,
        ..request("1 + 1")
    };
    let outcome = pool.execute(accepted, &host).await;
    assert_eq!(outcome.result, Ok(json!(2)));
}

/// Kills a process with SIGKILL.
fn kill(pid: u32) {
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.unwrap().success());
}

#[tokio::test]
async fn a_worker_that_died_while_idle_is_replaced() {
    let pool = pool();
    works(&pool).await;
    for pid in pool.idle_workers() {
        kill(pid);
    }
    works(&pool).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_worker_that_dies_ends_only_its_script() {
    let pool = pool();
    let code = "await tasks.get(1); for (;;) {}";
    let host = Recorder::default();
    let request = request(code);
    let script = pool.execute(request, &host);
    let killer = async {
        while host.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        for pid in children_of(std::process::id()) {
            kill(pid);
        }
    };
    let (outcome, ()) = tokio::join!(script, killer);
    assert_eq!(code_of(&outcome), Ok(ErrorCode::WorkerCrashed));
    let message = outcome.result.unwrap_err().message;
    assert!(message.contains("signal 9"), "{message}");
    assert_eq!(outcome.calls.len(), 1);
    works(&pool).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_the_future_ends_the_script() {
    let pool = pool();
    let host = Recorder::default();
    let waiting = pool.execute(request("await tasks.get(1); for (;;) {}"), &host);
    let began = async {
        while host.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        children_of(std::process::id())
    };
    let children = tokio::select! {
        _ = waiting => panic!("it ended"),
        children = began => children,
    };
    assert!(!children.is_empty());
    until_exited(&children).await;
    works(&pool).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_worker_outlives_its_host() {
    for code in ["for (;;) {}", "new Array(2 ** 32 - 1).join('')"] {
        let mut host = Command::new(env!("CARGO_BIN_EXE_windlass-sandbox-fixture"))
            .args(["host", code])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let workers = loop {
            let workers = children_of(host.id());
            if !workers.is_empty() {
                break workers;
            }
            assert!(began.elapsed() < Duration::from_secs(30));
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        kill(host.id());
        host.wait().unwrap();
        until_exited(&workers).await;
    }
}

/// A jailed process that does anything more is killed by the system, which writes that into its log.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_without_a_host_exits_by_itself() {
    use rustix::process::{WaitOptions, getpid, set_child_subreaper, waitpid};
    // What the host leaves becomes a child of this process.
    set_child_subreaper(Some(getpid())).unwrap();
    for code in [
        "for (;;) {}",
        "await new Promise((done) => setTimeout(done, 60_000))",
    ] {
        let mut host = Command::new(env!("CARGO_BIN_EXE_windlass-sandbox-fixture"))
            .args(["host", code])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        // Long enough for it to be in its jail.
        while children_of(host.id()).is_empty() || began.elapsed() < Duration::from_secs(1) {
            assert!(began.elapsed() < Duration::from_secs(30));
            std::thread::sleep(Duration::from_millis(5));
        }
        let workers = children_of(host.id());
        kill(host.id());
        host.wait().unwrap();
        for worker in workers {
            let worker = rustix::process::Pid::from_raw(i32::try_from(worker).unwrap());
            let (_, status) = waitpid(worker, WaitOptions::empty()).unwrap().unwrap();
            assert_eq!(status.terminating_signal(), None, "{code}: {status:?}");
        }
    }
}

#[cfg(target_os = "linux")]
fn children_of(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    let children = tasks
        .into_iter()
        .flatten()
        .flatten()
        .map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    children
        .flat_map(|text| {
            text.split_whitespace()
                .map(|pid| pid.parse().unwrap())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Waits until all these processes have exited or are zombies.
#[cfg(target_os = "linux")]
async fn until_exited(pids: &[u32]) {
    let began = Instant::now();
    for pid in pids {
        loop {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
            if status.map_or(true, |status| status.contains("State:\tZ")) {
                break;
            }
            assert!(
                began.elapsed() < Duration::from_secs(10),
                "{pid} is still running"
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
