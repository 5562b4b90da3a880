use super::*;

fn rules(listening: &str, token: Option<&str>, hosts: &[&str], origins: &[&str]) -> Admission {
    let token = token.map(|text| Token::parse(text, "test").unwrap());
    let owned = |list: &[&str]| {
        list.iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    Admission::new(
        listening.parse().unwrap(),
        token,
        &owned(hosts),
        &owned(origins),
    )
    .unwrap()
}

fn ask(rules: &Admission, headers: &[(&str, &str)]) -> Result<(), Refused> {
    ask_at(rules, "/mcp", headers)
}

fn ask_at(rules: &Admission, uri: &str, headers: &[(&str, &str)]) -> Result<(), Refused> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: axum::http::HeaderName = name.parse().unwrap();
        map.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    rules.check(&uri.parse().unwrap(), &map, Peer::SameUser)
}

#[test]
fn without_a_token_only_the_same_user_is_served() {
    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_static("localhost"));
    let ask = |rules: &Admission, path: &str, peer| {
        let uri: Uri = path.parse().unwrap();
        rules.check(&uri, &headers, peer)
    };
    let open = rules("127.0.0.1", None, &[], &[]);
    for path in [
        "/",
        "/mcp",
        "/mcp/session/a",
        "/metrics",
        "/ready",
        "/nowhere",
    ] {
        assert_eq!(ask(&open, path, Peer::SameUser), Ok(()), "{path}");
        for peer in [Peer::Other, Peer::NotAsked] {
            assert_eq!(ask(&open, path, peer), Err(Refused::OtherUser), "{path}");
        }
    }
    assert_eq!(ask(&open, "/health", Peer::Other), Ok(()));
    // A token is for everyone who has it.
    let closed = rules("127.0.0.1", Some("secret"), &[], &[]);
    assert_eq!(ask(&closed, "/mcp", Peer::SameUser), Err(Refused::NoToken));
    assert_eq!(ask(&closed, "/mcp", Peer::Other), Err(Refused::NoToken));
}

#[test]
fn on_this_machine_only_its_own_names_are_right() {
    let rules = rules("127.0.0.1", None, &[], &[]);
    for host in [
        "localhost",
        "LocalHost:3002",
        "localhost.",
        "127.0.0.1:3002",
        "127.0.0.2",
        "[::1]:3002",
    ] {
        assert_eq!(ask(&rules, &[("host", host)]), Ok(()), "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "10.0.0.1",
        "0.0.0.0",
        "a@localhost",
        "",
        "localhost localhost",
    ] {
        assert_eq!(ask(&rules, &[("host", host)]), Err(Refused::Host), "{host}");
    }
    assert_eq!(ask(&rules, &[]), Err(Refused::Host), "no name at all");
    let two = [("host", "localhost"), ("host", "evil.example")];
    assert_eq!(ask(&rules, &two), Err(Refused::Host));
    let absolute = ask_at(&rules, "http://evil.example/mcp", &[("host", "localhost")]);
    assert_eq!(
        absolute,
        Err(Refused::Host),
        "the address counts, as the protocol says"
    );
}

#[test]
fn web_pages_of_this_machine_may_ask() {
    let rules = rules(
        "::1",
        None,
        &[],
        &["https://tools.example:8443", "https://any.example"],
    );
    let from = |origin: &str| ask(&rules, &[("host", "localhost:3002"), ("origin", origin)]);
    for origin in [
        "http://localhost:6274",
        "https://127.0.0.1",
        "http://[::1]:3002",
        "https://tools.example:8443",
        "https://any.example:99",
    ] {
        assert_eq!(from(origin), Ok(()), "{origin}");
    }
    for origin in [
        "null",
        "",
        "http://evil.example",
        "https://tools.example",
        "http://any.example",
        "http://localhost.evil.example",
        "file://localhost",
        "http://localhost/path",
        "localhost",
    ] {
        assert_eq!(from(origin), Err(Refused::Origin), "{origin}");
    }
}

#[test]
fn elsewhere_a_token_is_needed_and_names_are_free_unless_listed() {
    let open = Admission::new("0.0.0.0".parse().unwrap(), None, &[], &[]);
    let error = open.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidConfig);
    assert!(error.hint().unwrap().contains("WINDLASS_HTTP_TOKEN"));

    let free = rules("0.0.0.0", Some("secret"), &[], &[]);
    let token = ("authorization", "Bearer secret");
    assert_eq!(ask(&free, &[("host", "box.example:3002"), token]), Ok(()));
    let same = [
        ("host", "box.example:3002"),
        ("origin", "http://box.example:3002"),
        token,
    ];
    assert_eq!(ask(&free, &same), Ok(()), "its own pages");
    let other = [
        ("host", "box.example:3002"),
        ("origin", "http://localhost:3002"),
        token,
    ];
    assert_eq!(ask(&free, &other), Err(Refused::Origin));

    let listed = rules(
        "0.0.0.0",
        Some("secret"),
        &["box.example", "other.example:80"],
        &[],
    );
    assert_eq!(ask(&listed, &[("host", "box.example:3002"), token]), Ok(()));
    assert_eq!(ask(&listed, &[("host", "other.example:80"), token]), Ok(()));
    assert_eq!(
        ask(&listed, &[("host", "other.example:81"), token]),
        Err(Refused::Host)
    );
    assert_eq!(
        ask(&listed, &[("host", "evil.example"), token]),
        Err(Refused::Host)
    );
    assert_eq!(ask(&listed, &[("host", "localhost"), token]), Ok(()));
}

#[test]
fn a_token_that_is_set_is_asked_for() {
    let rules = rules("127.0.0.1", Some(" secret\n"), &[], &[]);
    let with = |value: &str| ask(&rules, &[("host", "localhost"), ("authorization", value)]);
    assert_eq!(with("Bearer secret"), Ok(()));
    assert_eq!(with("bearer  secret"), Ok(()));
    for value in ["Bearer secre", "Bearer secrets", "Bearer ", "Bearer SECRET"] {
        assert_eq!(with(value), Err(Refused::WrongToken), "{value}");
    }
    for value in ["secret", "Basic secret", ""] {
        assert_eq!(with(value), Err(Refused::NoToken), "{value}");
    }
    let host = [("host", "localhost")];
    assert_eq!(ask(&rules, &host), Err(Refused::NoToken));
    assert_eq!(ask_at(&rules, "/health", &host), Ok(()));
    assert_eq!(ask_at(&rules, "/ready", &host), Err(Refused::NoToken));
    assert_eq!(ask_at(&rules, "/health/", &host), Err(Refused::NoToken));
}

#[test]
fn refusals_say_how_to_get_in() {
    let response = Refused::NoToken.response();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(
        response.headers()[WWW_AUTHENTICATE],
        "Bearer realm=\"windlass\""
    );
    assert_eq!(Refused::Host.response().status(), StatusCode::FORBIDDEN);
    assert!(
        Refused::Origin
            .response()
            .headers()
            .get(WWW_AUTHENTICATE)
            .is_none()
    );
}

#[test]
fn tokens_that_cannot_be_sent_are_refused_and_none_is_printed() {
    assert!(
        Token::parse(" \n", "F")
            .unwrap_err()
            .message()
            .contains("F: the token is empty")
    );
    assert!(Token::parse("two words", "F").is_err());
    assert!(Token::parse("grün", "F").is_err());
    let token = Token::parse("secret", "F").unwrap();
    assert!(!format!("{token:?}").contains("secret"));
}

#[test]
fn flags_that_name_nothing_are_refused() {
    let address = "127.0.0.1".parse().unwrap();
    let flag = |text: &str| vec![text.to_owned()];
    assert!(Admission::new(address, None, &flag("a b"), &[]).is_err());
    assert!(Admission::new(address, None, &[], &flag("example.com")).is_err());
}
