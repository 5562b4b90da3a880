//! `windlass prime` as the start-up hook of a client runs it: it never fails, and says nothing
//! where there is no project.

use crate::setup::Bench;

#[test]
fn an_agent_learns_how_to_begin_and_where_the_work_stands() {
    let bench = Bench::new();
    bench.run(&["add", "Log in with a password"]);
    bench.run(&["add", "Log out"]);
    bench.run(&["start", "2"]);
    for (words, limit) in [(&["prime", "--mcp"][..], 250), (&["prime"], 800)] {
        let output = bench.run(words);
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        for part in ["# project", "`begin`", "In progress: #2 Log out"] {
            assert!(text.contains(part), "{words:?}: {text}");
        }
        assert!(text.chars().count() < limit * 4, "{words:?}: {text}");
    }
    let output = bench.run(&["prime", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["in_progress"][0]["title"], "Log out");
    assert!(json["text"].as_str().unwrap().contains("windlass next"));
}

#[test]
fn it_never_fails_the_start_of_a_client() {
    let bench = Bench::without_project();
    let output = bench.run(&["prime", "--mcp"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    // A project whose state cannot be read: the agent starts, and the log of the client says why.
    let bench = Bench::new();
    bench.write(
        "project/.windlass/state/windlass.db",
        "not a database, but long enough to be read",
    );
    let output = bench.run(&["prime"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("windlass prime: "), "{error}");
}
