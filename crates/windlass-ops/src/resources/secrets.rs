//! Values that resources do not show. Every session can read resources, whatever its tools are.

use serde_json::Value as Json;

const SERVERS: &str = "mcp_servers";
const HIDDEN: &str = "(hidden)";

/// Hides the variables of MCP servers, which often hold keys; their names stay.
pub fn hide(text: String) -> String {
    if !text.contains(SERVERS) {
        return text;
    }
    match serde_json::from_str::<Json>(&text) {
        Ok(mut json) => {
            hide_in(&mut json);
            json.to_string()
        }
        Err(_) => text,
    }
}

fn hide_in(json: &mut Json) {
    match json {
        Json::Array(items) => items.iter_mut().for_each(hide_in),
        Json::Object(fields) => {
            for (name, value) in fields {
                if name == SERVERS {
                    hide_servers(value);
                } else {
                    hide_in(value);
                }
            }
        }
        _ => {}
    }
}

/// A list of servers, or the text of one.
fn hide_servers(servers: &mut Json) {
    if let Json::String(text) = servers {
        let Ok(mut parsed) = serde_json::from_str(text) else {
            return;
        };
        hide_servers(&mut parsed);
        *text = parsed.to_string();
        return;
    }
    for server in servers.as_array_mut().into_iter().flatten() {
        let variables = server.get_mut("env").and_then(Json::as_object_mut);
        for (_, value) in variables.into_iter().flatten() {
            *value = HIDDEN.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_values_of_variables_are_hidden() {
        let servers = json!([{"name": "ui", "env": {"KEY": "s3cr3t"}, "args": ["-y"]}]);
        let shown = json!([{"name": "ui", "env": {"KEY": HIDDEN}, "args": ["-y"]}]);
        for (given, expected) in [
            (json!({SERVERS: servers}), json!({SERVERS: shown})),
            (
                json!({"items": [{SERVERS: servers.to_string()}]}),
                json!({"items": [{SERVERS: shown.to_string()}]}),
            ),
            (json!({SERVERS: "nothing"}), json!({SERVERS: "nothing"})),
            (json!({"env": {"A": "b"}}), json!({"env": {"A": "b"}})),
        ] {
            let hidden: Json = serde_json::from_str(&hide(given.to_string())).unwrap();
            assert_eq!(hidden, expected);
        }
        assert_eq!(hide("about mcp_servers".to_owned()), "about mcp_servers");
    }
}
