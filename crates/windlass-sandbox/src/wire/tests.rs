//! Every message round-trips, and no bytes can cause harm.

use proptest::prelude::*;
use serde_json::json;

use super::frames::{Oversized, begin_frame, end_frame};
use super::*;
use crate::call_handler::CallError;
use crate::limits::Limits;
use crate::method::Method;
use crate::outcome::{ErrorCode, Failure, Level};

fn to_worker() -> impl Strategy<Value = ToWorker> {
    let settlement = prop_oneof![
        any::<String>().prop_map(Ok),
        any::<(String, String, String, Option<String>)>().prop_map(|(code, tag, message, hint)| {
            Err(CallError {
                code,
                tag,
                message,
                hint,
            })
        }),
    ];
    prop_oneof![
        any::<(String, String, Vec<String>)>().prop_map(|(namespace, name, positional)| {
            let method = Method {
                namespace,
                name,
                positional,
            };
            ToWorker::Setup {
                methods: vec![method],
            }
        }),
        any::<(u32, String)>().prop_map(|(request, code)| ToWorker::Run {
            request,
            limits: Limits::default(),
            code,
        }),
        (any::<u32>(), any::<u32>(), settlement).prop_map(|(request, call, settlement)| {
            ToWorker::Settle {
                request,
                call,
                settlement,
            }
        }),
    ]
}

fn from_worker() -> impl Strategy<Value = FromWorker> {
    let result = prop_oneof![
        any::<String>().prop_map(|text| Ok(json!({ "value": text }))),
        any::<String>().prop_map(|text| Err(Failure::new(ErrorCode::Deadlock, text))),
    ];
    prop_oneof![
        any::<bool>().prop_map(|jailed| FromWorker::Ready { jailed }),
        any::<(u32, u32, u32, String)>().prop_map(|(request, call, method, arguments)| {
            FromWorker::Call {
                request,
                call,
                method,
                arguments,
            }
        }),
        (any::<u32>(), 0..Level::ALL.len(), any::<String>()).prop_map(|(request, level, text)| {
            FromWorker::Log {
                request,
                level: Level::ALL[level],
                text,
            }
        }),
        (any::<u32>(), result, any::<bool>()).prop_map(|(request, result, flag)| {
            FromWorker::Done {
                request,
                ended: ScriptEnd {
                    result,
                    truncated: flag,
                    logs_truncated: !flag,
                    warnings: vec!["line 1".to_owned()],
                    spent: flag,
                },
            }
        }),
    ]
}

/// Passes `bytes` in pieces, and collects the frames.
fn frames_of(bytes: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let mut frames = Frames::default();
    let mut found = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        frames.push(piece);
        while let Ok(Some(frame)) = frames.next() {
            found.push(frame.to_vec());
        }
    }
    assert!(frames.is_empty());
    found
}

proptest! {
    #[test]
    fn messages_of_the_host_round_trip(
        messages in prop::collection::vec(to_worker(), 0..4),
        piece in 1..40usize,
    ) {
        let mut bytes = Vec::new();
        for message in &messages {
            message.encode(&mut bytes);
        }
        let arrived: Vec<_> = frames_of(&bytes, piece)
            .iter()
            .map(|frame| ToWorker::decode(frame).unwrap())
            .collect();
        prop_assert_eq!(arrived, messages);
    }

    #[test]
    fn messages_of_the_worker_round_trip(
        messages in prop::collection::vec(from_worker(), 0..4),
        piece in 1..40usize,
    ) {
        let mut bytes = Vec::new();
        for message in &messages {
            message.encode(&mut bytes);
        }
        let arrived: Vec<_> = frames_of(&bytes, piece)
            .iter()
            .map(|frame| FromWorker::decode(frame).unwrap())
            .collect();
        prop_assert_eq!(arrived, messages);
    }

    #[test]
    fn random_bytes_are_safe_to_read(kind in 0..5u8, noise in prop::collection::vec(any::<u8>(), 0..200)) {
        read_as_both_sides(&noise);
        let mut frame = Vec::new();
        let start = begin_frame(&mut frame);
        frame.push(kind);
        frame.extend(noise);
        end_frame(&mut frame, start);
        read_as_both_sides(&frame);
    }

    #[test]
    fn a_shortened_or_lengthened_message_is_invalid(message in from_worker(), at in any::<prop::sample::Index>()) {
        let mut frame = Vec::new();
        message.encode(&mut frame);
        let body = &frame[4..];
        prop_assert_eq!(FromWorker::decode(&body[..at.index(body.len())]), None);
        let mut longer = body.to_vec();
        longer.push(0);
        prop_assert_eq!(FromWorker::decode(&longer), None);
    }
}

#[test]
fn a_length_above_the_limit_is_rejected() {
    let mut frames = Frames::default();
    frames.push(&u32::MAX.to_le_bytes());
    assert_eq!(frames.next(), Err(Oversized));
}
