//! A collector for tests, and how its spans are read.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value as Json;

/// One request to the collector.
pub struct Posted {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// A collector that takes everything.
pub struct Collector {
    pub address: SocketAddr,
    pub posted: Arc<Mutex<Vec<Posted>>>,
}

impl Collector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let posted: Arc<Mutex<Vec<Posted>>> = Arc::default();
        let kept = Arc::clone(&posted);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(request) = take(stream) {
                    kept.lock().expect("no panic").push(request);
                }
            }
        });
        Self { address, posted }
    }

    pub fn requests(&self) -> usize {
        self.posted.lock().expect("no panic").len()
    }

    /// All spans, in the order in which they ended.
    pub fn spans(&self) -> Vec<Json> {
        let posted = self.posted.lock().expect("no panic");
        let bodies = posted.iter().map(|it| serde_json::from_str(&it.body));
        bodies
            .flat_map(|body: Result<Json, _>| {
                let body = body.expect("JSON");
                let scopes = body["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
                scopes.as_array().cloned().unwrap_or_default()
            })
            .collect()
    }
}

/// Reads a request and answers as collectors do.
pub fn take(mut stream: TcpStream) -> Option<Posted> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut lines = lines.into_iter();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect();
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
                  Connection: close\r\n\r\n{}";
    stream.write_all(answer.as_bytes()).ok()?;
    Some(Posted {
        path,
        headers,
        body: String::from_utf8(body).ok()?,
    })
}

pub fn named<'a>(spans: &'a [Json], name: &str) -> Vec<&'a Json> {
    spans.iter().filter(|span| span["name"] == name).collect()
}

pub fn one<'a>(spans: &'a [Json], name: &str) -> &'a Json {
    let found = named(spans, name);
    assert_eq!(found.len(), 1, "{name}: {spans:#?}");
    found[0]
}

/// An attribute; null if there is none.
pub fn attribute(span: &Json, key: &str) -> Json {
    let attributes = span["attributes"].as_array().expect("a list");
    let found = attributes.iter().find(|it| it["key"] == key);
    let value = found.map(|it| &it["value"]);
    value.map_or(Json::Null, |value| {
        let text = value.get("stringValue").or_else(|| value.get("intValue"));
        text.cloned().unwrap_or(Json::Null)
    })
}

#[track_caller]
pub fn has(span: &Json, expected: &[(&str, &str)]) {
    for (key, value) in expected {
        assert_eq!(attribute(span, key), *value, "{key} of {span:#}");
    }
}

/// One span began in the other, in one trace.
#[track_caller]
pub fn within(child: &Json, parent: &Json) {
    assert_eq!(child["traceId"], parent["traceId"], "{child:#} {parent:#}");
    assert_eq!(
        child["parentSpanId"], parent["spanId"],
        "{child:#} {parent:#}"
    );
}
