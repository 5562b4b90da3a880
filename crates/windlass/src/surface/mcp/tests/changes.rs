//! Notifications of changes, in both eras of the protocol.

use std::path::Path;

use serde_json::{Map, Value as Json, json};
use windlass_core::{Actor, Dialect, Draft, EntityType, Origin};
use windlass_store::{Project, Store};

use super::{Client, modern};

/// Writes an entity as another process would: through a store of its own.
fn write_elsewhere(folder: &Path, kind: EntityType, title: &str) {
    let store = Store::open(&Project::find(folder).unwrap()).unwrap();
    let origin = Origin {
        actor: Actor::Human,
        source: "cli",
        session: "elsewhere".into(),
        correlation_id: None,
    };
    let draft = Draft::new(kind, title, None, &[], &Map::new(), Dialect::Knowledge).unwrap();
    store.write(&origin, |writer| writer.create(draft)).unwrap();
}

async fn listen(client: &mut Client, notifications: Json) -> Json {
    let params = json!({ "_meta": modern(), "notifications": notifications });
    client.request("subscriptions/listen", params).await
}

#[tokio::test]
async fn a_client_of_old_hears_of_what_it_subscribed_to_until_it_unsubscribes() {
    let mut client = Client::initialized().await;
    let uri = "windlass://entities/task";
    for _ in 0..2 {
        let answer = client
            .request("resources/subscribe", json!({ "uri": uri }))
            .await;
        assert_eq!(answer["result"], json!({}));
    }
    write_elsewhere(client.folder(), EntityType::Note, "not a task");
    write_elsewhere(client.folder(), EntityType::Task, "a task");
    let news = client.next().await;
    assert_eq!(
        news,
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/resources/updated",
            "params": { "uri": uri },
        })
    );
    let answer = client
        .request("resources/unsubscribe", json!({ "uri": uri }))
        .await;
    assert_eq!(answer["result"], json!({}));
    write_elsewhere(client.folder(), EntityType::Task, "unheard");
    assert_eq!(client.end().await, Vec::<Json>::new());
}

#[tokio::test]
async fn a_listener_hears_of_the_uris_that_mean_something() {
    let mut client = Client::start();
    let uris = json!([
        "windlass://tasks/ready",
        "nonsense:",
        "windlass://entities/note"
    ]);
    let answer = listen(&mut client, json!({ "resourceSubscriptions": uris })).await;
    assert_eq!(
        answer["params"]["notifications"]["resourceSubscriptions"],
        json!(["windlass://tasks/ready", "windlass://entities/note"])
    );
    write_elsewhere(client.folder(), EntityType::Note, "a note");
    let news = client.next().await;
    assert_eq!(news["params"]["uri"], "windlass://entities/note");
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    // Any response shows that the cancellation before it was processed.
    client
        .ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
        .await;
    write_elsewhere(client.folder(), EntityType::Note, "unheard");
    assert_eq!(client.end().await, Vec::<Json>::new());
}

#[tokio::test]
async fn a_client_of_old_hears_that_the_prompts_changed() {
    let mut client = Client::initialized().await;
    client.wait_for_initialized().await;
    write_elsewhere(client.folder(), EntityType::Task, "not a prompt");
    write_elsewhere(client.folder(), EntityType::Prompt, "a prompt");
    let news = client.next().await;
    assert_eq!(news["method"], "notifications/prompts/list_changed");
    assert_eq!(client.end().await, Vec::<Json>::new());
}

#[tokio::test]
async fn a_listener_hears_that_the_prompts_changed() {
    let mut client = Client::start();
    listen(&mut client, json!({ "promptsListChanged": true })).await;
    write_elsewhere(client.folder(), EntityType::Prompt, "a prompt");
    let news = client.next().await;
    assert_eq!(news["method"], "notifications/prompts/list_changed");
    let id = &news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*id, 1);
    assert_eq!(client.end().await.len(), 1);
}

#[tokio::test]
async fn a_listener_that_did_not_ask_hears_nothing() {
    let mut client = Client::start();
    let answer = listen(&mut client, json!({ "toolsListChanged": true })).await;
    assert_eq!(answer["params"]["notifications"], json!({}));
    write_elsewhere(client.folder(), EntityType::Prompt, "a prompt");
    let rest = client.end().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert!(rest[0]["result"].is_object());
}

#[tokio::test]
async fn a_listener_hears_of_the_end() {
    let mut client = Client::start();
    let answer = client
        .request(
            "subscriptions/listen",
            json!({
                "_meta": modern(),
                "notifications": {
                    "promptsListChanged": true,
                    "toolsListChanged": true,
                    "resourceSubscriptions": ["nonsense:"],
                },
            }),
        )
        .await;
    assert_eq!(answer["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        answer["params"]["notifications"],
        json!({ "promptsListChanged": true })
    );
    client.closing.cancel();
    let rest = client.rest().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], 1);
    assert_eq!(rest[0]["result"]["resultType"], "complete");
}
