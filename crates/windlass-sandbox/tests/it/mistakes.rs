//! What models often get wrong in a script, and what they are told about it.

use serde_json::json;
use windlass_sandbox::ErrorCode;

use super::{failure, outcome, value};

/// The warnings about a script that gives a value.
async fn warnings(code: &str) -> Vec<String> {
    let outcome = outcome(code).await;
    assert!(outcome.result.is_ok(), "{code}: {:?}", outcome.result);
    outcome.warnings
}

#[tokio::test]
async fn a_forgotten_await_is_named_with_its_line() {
    let forgotten = |line: usize, method: &str| {
        format!("line {line}: {method}(...) was not awaited: put await before it")
    };
    for (code, line, method) in [
        ("const a = 1\n\ntasks.get(7)\na", 3, "tasks.get"),
        ("const list = tasks.list()\nlist.length", 1, "tasks.list"),
        ("({ list: tasks.list() })", 1, "tasks.list"),
        ("({ deep: { list: tasks.list() } })", 1, "tasks.list"),
        (
            "await tasks.get(1)\nif (true) {\n  tasks.get(2)\n}\n1",
            3,
            "tasks.get",
        ),
        ("[1].forEach(id => { tasks.get(id) })\n1", 1, "tasks.get"),
        ("`${tasks.nextReady()}`", 1, "tasks.nextReady"),
        (
            "tasks.get(1)\nPromise.resolve = 1; Array.prototype.map = 1; Map.prototype.set = 1\n2",
            1,
            "tasks.get",
        ),
    ] {
        assert_eq!(warnings(code).await, [forgotten(line, method)], "{code}");
    }
    let many = warnings("for (let i = 0; i < 9; i++) tasks.get(i)\n1").await;
    assert_eq!(many.len(), 6);
    assert_eq!(many[5], "and 4 more like these");
}

#[tokio::test]
async fn a_forgotten_call_that_failed_says_why() {
    assert_eq!(
        warnings("tasks.start(7)\n'done'").await,
        [
            "line 1: tasks.start(...) was not awaited and failed (Task 7 is blocked): put await before it"
        ]
    );
    assert_eq!(
        warnings("tasks.list(1)\n'done'").await,
        [
            "line 1: tasks.list(...) was not awaited and failed (tasks.list takes one object): put await before it"
        ]
    );
}

#[tokio::test]
async fn a_failure_that_follows_from_a_forgotten_await_has_the_warning_too() {
    let outcome = outcome("const task = tasks.get(7)\ntask.asked.id").await;
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::JsRuntimeError);
    assert_eq!(
        outcome.warnings,
        ["line 1: tasks.get(...) was not awaited before the script failed: put await before it"]
    );
}

#[tokio::test]
async fn promises_in_the_value_are_noticed() {
    assert_eq!(
        warnings("[1, 2].map(async id => (await tasks.get(id)).asked)").await,
        ["the value is a list of promises: return await Promise.all(list)"]
    );
    assert_eq!(
        warnings("const f = async () => 1; ({ a: f(), b: 2, c: f() })").await,
        ["promises in the value were not awaited: put await before a, c"]
    );
}

#[tokio::test]
async fn what_is_awaited_in_any_way_gives_no_warning() {
    for code in [
        "await tasks.get(1)",
        "tasks.get(1)",
        "return tasks.get(1)",
        "() => tasks.get(1)",
        "async function main() { return tasks.get(1) }",
        "const p = tasks.list(); await tasks.get(1); await p; 1",
        "await Promise.all([tasks.get(1), tasks.list()])",
        "await Promise.all([1, 2].map(id => tasks.get(id)))",
        "await Promise.allSettled([tasks.start(7)])",
        "await Promise.race([tasks.get(1), tasks.list()])",
        "tasks.get(1).then(it => console.log(it)); 1",
        "tasks.start(7).catch(() => {}); 1",
        "tasks.get(1).finally(() => {}); 1",
        "const p = Promise.all([tasks.get(1)]); 1",
        "[1, 2].forEach(async id => { await tasks.get(id) }); 1",
        "for await (const it of [tasks.get(1), tasks.get(2)]) console.log(it); 1",
        "const f = id => tasks.get(id); const a = await f(1); a",
        "const p = tasks.nextReady(); setTimeout(async () => { await p }, 1); 1",
        "async function* all() { yield tasks.get(1) } for await (const it of all()) it; 1",
        "Promise.resolve(tasks.get(1)); 1",
    ] {
        assert_eq!(warnings(code).await, Vec::<String>::new(), "{code}");
    }
    let failed = outcome("const all = Promise.all([tasks.get(1)]); throw new Error('no')").await;
    assert_eq!(failed.warnings, Vec::<String>::new());
}

#[tokio::test]
async fn promises_of_calls_are_promises() {
    assert_eq!(
        value("const p = tasks.get(1); const q = p.then(it => it.asked.id); [p instanceof Promise, q.constructor === Promise, await q, String(p)]").await,
        json!([true, true, 1, "[object Promise]"])
    );
    let logged = outcome("console.log(tasks.get(1)); 1").await;
    assert_eq!(logged.logs[0].text, "[a promise: put await before it]");
}

#[tokio::test]
async fn an_object_with_a_list_says_where_the_list_is() {
    for (used, instead) in [
        (
            ".map(it => it.id)",
            "(await pages.list(...)).items.map(...)",
        ),
        (
            ".filter(Boolean)",
            "(await pages.list(...)).items.filter(...)",
        ),
        (".length", "(await pages.list(...)).items.length"),
        (
            "[Symbol.iterator]",
            "for (const item of (await pages.list(...)).items)",
        ),
    ] {
        let failure = failure(&format!("(await pages.list()){used}")).await;
        assert_eq!(failure.code, ErrorCode::SdkError, "{used}");
        let expected = format!("pages.list() returns an object; the list is in .items: {instead}");
        assert_eq!(failure.message, expected);
        assert_eq!(failure.location.unwrap().line, 1);
    }
    for code in [
        "for (const it of await pages.list()) it",
        "[...await pages.list()]",
        "Array.from(await pages.list())",
        "const page = await pages.list()\npage.find(it => it.id)",
    ] {
        let message = failure(code).await.message;
        assert!(
            message.contains("the list is in .items"),
            "{code}: {message}"
        );
    }
    assert_eq!(
        failure("(await pages.two()).map(it => it)").await.message,
        "pages.two() returns an object; its lists are in .left, .right, for example (await pages.two(...)).left.map(...)"
    );
}

#[tokio::test]
async fn answers_with_lists_are_otherwise_plain_objects() {
    for (code, expected) in [
        ("(await pages.list()).items.length", json!(2)),
        ("(await pages.list()).missing", json!(null)),
        (
            "Object.keys(await pages.list())",
            json!(["items", "total", "values"]),
        ),
        ("(await pages.list()).values", json!(5)),
        (
            "const page = await pages.list(); page.length = 3; page.length",
            json!(3),
        ),
        (
            "const { items, ...rest } = await pages.list(); rest.length ?? 'none'",
            json!("none"),
        ),
        ("'map' in (await tasks.get(1))", json!(false)),
        ("(await pages.list()).hasOwnProperty('items')", json!(true)),
        ("structuredClone(await pages.list()).total", json!(2)),
        ("({ ...await pages.list() }).total", json!(2)),
    ] {
        assert_eq!(value(code).await, expected, "{code}");
    }
}

#[tokio::test]
async fn unknown_methods_can_be_asked_for() {
    for (code, expected) in [
        ("typeof tasks.missing", json!("undefined")),
        ("await tasks.missing?.(1) ?? 'none'", json!("none")),
        ("'missing' in tasks", json!(false)),
        ("tasks.missing ? 1 : 2", json!(2)),
    ] {
        let outcome = outcome(code).await;
        assert_eq!(outcome.result, Ok(expected), "{code}");
        assert_eq!(outcome.warnings, Vec::<String>::new(), "{code}");
    }
    let caught = warnings("try {\n  await tasks.strat(7)\n} catch (e) {}\n1").await;
    assert_eq!(
        caught,
        ["line 2: tasks has no method strat. Did you mean tasks.start?"]
    );
    let other = failure("typeof tasks.missing\nconst a = 5\na()").await;
    assert_eq!(other.code, ErrorCode::JsRuntimeError);
    let multi_line = failure("await tasks\n  .strat(7)").await;
    assert_eq!(multi_line.message, "tasks has no method strat");
    let with_arguments = failure("await tasks.strat(\n  await tasks.get(1),\n  2,\n)").await;
    assert_eq!(with_arguments.message, "tasks has no method strat");
}

#[tokio::test]
async fn absent_globals_say_what_to_use() {
    let missing = failure("new Intl.DateTimeFormat('en').format(new Date())").await;
    assert_eq!(
        missing.hint.as_deref(),
        Some("Scripts have no Intl. Format with toISOString, toFixed, padStart and localeCompare.")
    );
    assert_eq!(value("typeof Intl").await, json!("undefined"));
    let network = failure("await fetch('http://localhost')").await;
    assert_eq!(
        network.hint.as_deref(),
        Some("Scripts have no fetch. Scripts have no network.")
    );
}

#[tokio::test]
async fn typed_arrays_and_clones_exist() {
    for (code, expected) in [
        ("[...new Uint8Array([1, 300])]", json!([1, 44])),
        ("new DataView(new ArrayBuffer(8)).byteLength", json!(8)),
        (
            "const a = { b: [1, { c: new Date(0) }] }; const d = structuredClone(a); d.b[1].c.setTime(5); [a.b[1].c.getTime(), d.b[1].c.getTime()]",
            json!([0, 5]),
        ),
        (
            "const a = {}; a.self = a; const b = structuredClone(a); [b.self === b, b !== a]",
            json!([true, true]),
        ),
        (
            "const m = structuredClone(new Map([[1, new Set([2])]])); [m instanceof Map, [...m.get(1)]]",
            json!([true, [2]]),
        ),
        (
            "const v = new Uint16Array([7, 8]).subarray(1); const c = structuredClone(v); v[0] = 1; [...c]",
            json!([8]),
        ),
        (
            "structuredClone(new TypeError('no')) instanceof TypeError",
            json!(true),
        ),
        ("structuredClone(/a/gi).flags", json!("gi")),
        ("structuredClone(undefined) === undefined", json!(true)),
        (
            "try { structuredClone(() => {}) } catch (e) { return [e.name, e.message] }",
            json!(["DataCloneError", "A function cannot be cloned"]),
        ),
    ] {
        assert_eq!(value(code).await, expected, "{code}");
    }
    let large = outcome("new Uint8Array(2 ** 30)").await;
    assert_eq!(large.result.unwrap_err().code, ErrorCode::MemoryLimit);
}
