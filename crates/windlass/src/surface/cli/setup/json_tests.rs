//! Texts as people write them: adding an entry, and removing it again.

use super::*;

fn entry() -> Json {
    json!({"command": "windlass", "args": ["mcp"]})
}

fn add(text: &str) -> String {
    Format::JsonWithComments
        .with_entry(text, "mcpServers", "windlass", &entry())
        .unwrap()
}

fn take(text: &str) -> String {
    Format::JsonWithComments
        .without_entry(text, "mcpServers", "windlass")
        .unwrap()
}

#[test]
fn what_is_added_and_removed_leaves_the_bytes() {
    for text in [
        "{}",
        "{}\n",
        "{\n  \"a\": 1\n}\n",
        "{\n\t\"a\": 1,\n}\n",
        "{\r\n    \"a\": 1\r\n}\r\n",
        "\u{feff}{\n  \"a\": 1\n}\n",
        "{\n  \"a\": 1 // about a\n  // at the end\n}",
        "{\n  \"a\": 1, // about a\n  /* at the end */ }",
        "// above\n{\n  \"a\": [1,2,\n 3]\n}\n// below\n",
        "{\n  \"mcpServers\": {\n    \"b\": {\"command\": \"x\"} // b\n  },\n  \"z\": {}\n}\n",
        "{\n \"mcpServers\": { // none yet\n }\n}\n",
        "{\n  // \"mcpServers\": {}\n}\n",
    ] {
        let added = add(text);
        assert_ne!(added, text);
        assert_eq!(add(&added), added, "twice: {added}");
        assert_eq!(take(&added), text, "removed from: {added}");
    }
}

#[test]
fn the_manner_of_the_file_is_kept() {
    insta::assert_snapshot!(add("{}\n"), @r#"
    {
      "mcpServers": {
        "windlass": {
          "command": "windlass",
          "args": ["mcp"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(add("{\n    \"mcpServers\": {\n        \"b\": {} // b\n    }, // all\n    \"z\": 1\n}\n"), @r#"
    {
        "mcpServers": {
            "b": {}, // b
            "windlass": {
                "command": "windlass",
                "args": ["mcp"]
            }
        }, // all
        "z": 1
    }
    "#);
    assert_eq!(take(&add("")), "{}\n");
    assert!(add("// only a comment\n").starts_with("// only a comment\n{\n"));
}

#[test]
fn an_object_on_one_line_is_spread_over_lines() {
    insta::assert_snapshot!(add("{\"mcpServers\":{}}"), @r#"
    {
      "mcpServers":{
        "windlass": {
          "command": "windlass",
          "args": ["mcp"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(add("{ \"a\": [1, 2], /* b */ \"b\": {\"c\": 1} }\n"), @r#"
    {
      "a": [1, 2],
      /* b */ "b": {"c": 1},
      "mcpServers": {
        "windlass": {
          "command": "windlass",
          "args": ["mcp"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(add("{\"mcpServers\": {\"windlass\": {\"command\": \"old\"}, \"b\": {}}, \"z\": 1,}"), @r#"
    {
      "mcpServers": {
        "windlass": {
          "command": "windlass",
          "args": ["mcp"]
        },
        "b": {}
      },
      "z": 1,
    }
    "#);
    insta::assert_snapshot!(take(&add("{\"a\": 1, \"mcpServers\": {\"b\": {\"command\": \"x\"}}}")), @r#"
    {
      "a": 1,
      "mcpServers": {
        "b": {"command": "x"}
      }
    }
    "#);
}

#[test]
fn an_entry_is_replaced_where_it_stands() {
    let text = "{\n  \"mcpServers\": {\n    \"windlass\": {\n      \"command\": \"old\" // gone\n    },\n    \"b\": {} // kept\n  }\n}\n";
    insta::assert_snapshot!(add(text), @r#"
    {
      "mcpServers": {
        "windlass": {
          "command": "windlass",
          "args": ["mcp"]
        },
        "b": {} // kept
      }
    }
    "#);
    insta::assert_snapshot!(take(text), @r#"
    {
      "mcpServers": {
        "b": {} // kept
      }
    }
    "#);
    assert_eq!(
        take(r#"{"mcpServers": {"windlass": {}, "b": {}}}"#),
        r#"{"mcpServers": { "b": {}}}"#
    );
    assert_eq!(
        take("{\"mcpServers\": {\"a\": {}, // a\n \"windlass\": {}}}"),
        "{\"mcpServers\": {\"a\": {} // a\n}}"
    );
}

#[test]
fn only_what_is_said_about_the_entry_goes_with_it() {
    for (text, left) in [
        (
            "{\"mcpServers\": { // c\n \"windlass\": {}, \"b\": {}}}",
            "{\"mcpServers\": { // c\n \"b\": {}}}",
        ),
        (
            "{\"mcpServers\": {\n \"a\": {}, // a\n \"windlass\": {}, // w\n \"b\": {}\n}}",
            "{\"mcpServers\": {\n \"a\": {}, // a\n \"b\": {}\n}}",
        ),
        (
            "{\"mcpServers\": {\n // ours\n \"windlass\": {} // w\n}}",
            "{\"mcpServers\": {\n // ours\n}}",
        ),
        (
            "{\n \"mcpServers\": {\"windlass\": {}}, // all\n \"z\": 1\n}",
            "{\n \"mcpServers\": {}, // all\n \"z\": 1\n}",
        ),
    ] {
        assert_eq!(take(text), left);
    }
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    let line = |text: &str, format: Format| {
        let broken = format
            .with_entry(text, "mcpServers", "windlass", &entry())
            .unwrap_err();
        broken.line
    };
    assert_eq!(
        line("{\n  \"a\": 1\n  \"b\": 2\n}", Format::JsonWithComments),
        2
    );
    assert_eq!(line("{\n  // a comment\n}", Format::Json), 2);
    assert_eq!(line("{\n \"mcpServers\":\n [] }", Format::Json), 3);
    assert_eq!(line("[]", Format::Json), 1);
    assert!(line(&"[".repeat(100_000), Format::Json) > 0);
}
