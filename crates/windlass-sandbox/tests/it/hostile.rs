//! Harmful scripts, on purpose or by mistake. Each ends in time with the right error, and the next
//! script runs normally.

use std::time::{Duration, Instant};

use windlass_sandbox::{ErrorCode, Limits, Pool, Request};

use super::{Recorder, code_of, pool, request, within, works};

/// The deadline of scripts that would never end.
const SHORT_DEADLINE: u64 = 300;

/// How long a script may exceed its deadline on a busy machine.
const MAX_OVERRUN: Duration = Duration::from_secs(5);

/// The deadline of scripts that end by themselves, on a busy machine.
const LONG_DEADLINE: u64 = 10_000;

async fn ends(pool: &Pool, code: &str, expected: &[ErrorCode]) {
    ends_by(pool, code, SHORT_DEADLINE, expected).await;
}

async fn ends_by(pool: &Pool, code: &str, deadline: u64, expected: &[ErrorCode]) {
    let began = Instant::now();
    let outcome = pool
        .execute(within(code, deadline), &Recorder::default())
        .await;
    let elapsed = began.elapsed();
    let code_of = code_of(&outcome);
    let is_expected = code_of.as_ref().is_ok_and(|code| expected.contains(code));
    assert!(is_expected, "{code}\n{:?}", outcome.result);
    let most = Duration::from_millis(deadline) + MAX_OVERRUN;
    assert!(elapsed < most, "{code} took {elapsed:?}");
    works(pool).await;
}

#[tokio::test]
async fn scripts_that_never_end() {
    let pool = pool();
    for code in [
        "for (;;) {}",
        "for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }",
        "for (;;) await null",
        "const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
        "/(a+)+$/.test('a'.repeat(50) + 'b')",
        "[3, 2, 1].sort(() => { for (;;) {} })",
        "({ get a() { for (;;) {} } })",
        "({ toJSON() { for (;;) {} } })",
        "throw { toJSON() { for (;;) {} } }",
        "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;) {} } }); throw e",
        "(() => { for (;;) {} })() as any",
        "await { then() { for (;;) {} } }",
        "while (true) await tasks.nextReady()",
        "await help.wait()",
    ] {
        ends(&pool, code, &[ErrorCode::Timeout]).await;
    }
    // These also use more and more memory.
    for code in [
        "const f = () => Promise.resolve().then(f); await f()",
        "const f = () => { queueMicrotask(f); queueMicrotask(f) }; f(); await new Promise(() => {})",
    ] {
        ends(&pool, code, &[ErrorCode::Timeout, ErrorCode::MemoryLimit]).await;
    }
}

#[tokio::test]
async fn native_loops_that_the_engine_cannot_interrupt() {
    let pool = pool();
    for code in [
        "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
        "Array.prototype.sort.call({ length: 2 ** 53 - 1 })",
        "new Array(2 ** 32 - 1).join('')",
        "let a = 3n; for (;;) a = a * a",
        "const s = 'ab'.repeat(500000); for (;;) s.split('b').join('a')",
        "const a = Array.from({ length: 100000 }, (_, i) => String(i)); for (;;) a.slice().sort()",
        "const t = JSON.stringify(Array(50000).fill({ a: 1 })); for (;;) JSON.parse(t)",
    ] {
        ends(
            &pool,
            code,
            &[
                ErrorCode::Timeout,
                ErrorCode::MemoryLimit,
                ErrorCode::JsRuntimeError,
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn promises_that_nothing_can_settle_are_reported_at_once() {
    let pool = pool();
    for code in [
        "await new Promise(() => {})",
        "await Promise.race([])",
        "await { then() {} }",
        "await Promise.all([1, new Promise(() => {})])",
    ] {
        let began = Instant::now();
        let outcome = pool.execute(request(code), &Recorder::default()).await;
        assert_eq!(code_of(&outcome), Ok(ErrorCode::Deadlock), "{code}");
        assert!(began.elapsed() < MAX_OVERRUN, "{code}");
        works(&pool).await;
    }
}

#[tokio::test]
async fn scripts_that_use_all_memory() {
    let pool = pool();
    for code in [
        "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)",
        "const a = []; for (;;) a.push({ a })",
        "let a = []; for (;;) a = [a]",
        "let s = 'x'; for (;;) s += s",
        "new Array(1e8).fill(0).map(x => [x])",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'v' + i)",
        "const a = []; for (;;) { try { for (;;) a.push(new Array(1000).fill(a)) } catch { a.push(1) } }",
        "const o = {}; for (let i = 0; ; i++) o['key' + i] = { i }",
        "let j = '['.repeat(1000); for (;;) { try { JSON.parse(j += j) } catch (e) { if (!(e instanceof SyntaxError)) throw e } }",
    ] {
        let began = Instant::now();
        let outcome = pool
            .execute(within(code, 10_000), &Recorder::default())
            .await;
        // In some cases the engine reports that a string is too long before memory is used up.
        let expected = [
            Ok(ErrorCode::MemoryLimit),
            Ok(ErrorCode::Timeout),
            Ok(ErrorCode::JsRuntimeError),
        ];
        assert!(
            expected.contains(&code_of(&outcome)),
            "{code}\n{:?}",
            outcome.result
        );
        assert!(began.elapsed() < Duration::from_secs(15), "{code}");
        works(&pool).await;
    }
}

#[tokio::test]
async fn running_out_of_memory_has_its_own_code() {
    let pool = pool();
    for code in [
        "const a = []; for (;;) a.push(new Array(1000).fill(1))",
        "const a = []; for (;;) a.push({ a: {} })",
        "new Array(1e8).fill(0)",
    ] {
        ends_within(&pool, code, 10_000, ErrorCode::MemoryLimit).await;
    }
}

#[tokio::test]
async fn huge_numbers_and_strings() {
    let pool = pool();
    for code in [
        "'x'.repeat(2 ** 30)",
        "2n ** (2n ** 40n)",
        "'x'.padEnd(2 ** 31)",
        "new Array(-1)",
    ] {
        ends(
            &pool,
            code,
            &[ErrorCode::JsRuntimeError, ErrorCode::MemoryLimit],
        )
        .await;
    }
}

#[tokio::test]
async fn very_deep_values() {
    let pool = pool();
    for code in [
        "const f = () => f() + 1; f()",
        "const f = async () => await f(); await f()",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; a",
        "JSON.parse('['.repeat(200000) + ']'.repeat(200000))",
        "const o = { toJSON() { return { o } } }; o",
        "class A extends (function f() { return f() })() {}",
    ] {
        ends_by(
            &pool,
            code,
            LONG_DEADLINE,
            &[ErrorCode::JsRuntimeError, ErrorCode::MemoryLimit],
        )
        .await;
    }
}

#[tokio::test]
async fn very_deeply_nested_sources() {
    let pool = pool();
    let many = 200_000;
    for source in [
        "[".repeat(many) + &"]".repeat(many),
        "(".repeat(many) + "1" + &")".repeat(many),
        "!".repeat(many) + "1",
        "1+".repeat(many) + "1",
        "{".repeat(many) + &"}".repeat(many),
        "a=>".repeat(many) + "1",
        "if(1)".repeat(many) + "1",
        "`${".repeat(many) + "1" + &"}`".repeat(many),
        "let a:".to_owned() + &"(".repeat(many) + "1" + &")".repeat(many),
    ] {
        let began = Instant::now();
        let outcome = pool
            .execute(within(&source, 5_000), &Recorder::default())
            .await;
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "{}",
            &source[..10]
        );
        // If the engine cannot handle the source, any of these errors is fine; if it can, so is a
        // value.
        if let Err(failure) = &outcome.result {
            let expected = [
                ErrorCode::InvalidParams,
                ErrorCode::JsRuntimeError,
                ErrorCode::MemoryLimit,
                ErrorCode::WorkerCrashed,
                ErrorCode::Timeout,
            ];
            assert!(
                expected.contains(&failure.code),
                "{}: {failure:?}",
                &source[..10]
            );
        }
        works(&pool).await;
    }
}

#[tokio::test]
async fn floods_of_calls() {
    let pool = pool();
    for code in [
        "for (;;) await tasks.get(1)",
        "for (;;) tasks.get(1)",
        "for (;;) { try { await tasks.get(1) } catch {} }",
        "await Promise.all(Array.from({ length: 5000 }, () => tasks.get(1)))",
    ] {
        ends_within(&pool, code, 20_000, ErrorCode::TooManyCalls).await;
    }
    // Many long arguments and results at once must not block either side.
    let code = "const x = 'x'.repeat(100000); (await Promise.all(Array.from({ length: 300 }, () => notes.text({ x })))).length";
    let outcome = pool
        .execute(within(code, 20_000), &Recorder::default())
        .await;
    assert_eq!(outcome.result, Ok(serde_json::json!(300)));
}

async fn ends_within(pool: &Pool, code: &str, milliseconds: u64, expected: ErrorCode) {
    let outcome = pool
        .execute(within(code, milliseconds), &Recorder::default())
        .await;
    assert_eq!(
        code_of(&outcome),
        Ok(expected),
        "{code}\n{:?}",
        outcome.result
    );
    works(pool).await;
}

#[tokio::test]
async fn calls_after_the_deadline_are_not_made() {
    let pool = pool();
    let host = Recorder::default();
    let code = "for (;;) { try { for (;;) {} } finally { tasks.get(1) } }";
    let outcome = pool.execute(within(code, SHORT_DEADLINE), &host).await;
    assert_eq!(code_of(&outcome), Ok(ErrorCode::Timeout));
    assert!(host.calls().is_empty());
}

#[tokio::test]
async fn the_smallest_limits_crash_nothing() {
    let pool = pool();
    let code = "const a = {}; for (let i = 0; i < 5000; i++) a['k' + i] = JSON.stringify({ i, t: 'x'.repeat(50) }).split(',');
        Object.keys(a).length";
    for step in 0..60 {
        let limits = Limits {
            memory_bytes: 2_000_000 + step * 37_311,
            ..Limits::default()
        };
        let request = Request {
            code: code.to_owned(),
            limits,
            unjailed: false,
        };
        let outcome = pool.execute(request, &Recorder::default()).await;
        let is_fine = outcome.result == Ok(serde_json::json!(5_000))
            || code_of(&outcome) == Ok(ErrorCode::MemoryLimit);
        assert!(is_fine, "{step}: {:?}", outcome.result);
    }
}
