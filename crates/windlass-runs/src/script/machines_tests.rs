use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;

/// The output of one script.
#[derive(Default)]
struct Said {
    sequence: usize,
}

impl Said {
    fn frame(&mut self, kind: &str, step: &str, argument: &str, payload: &[u8]) -> Vec<u8> {
        let payload = STANDARD.encode(payload);
        let (sequence, length) = (self.sequence, payload.len());
        self.sequence += 1;
        format!("w1:n:{sequence}:{kind}:{step}:{argument}:{length}:{payload}:.\n").into_bytes()
    }

    fn step(&mut self, step: &str, output: &str, end: &str) -> Vec<u8> {
        let frames = [
            self.frame("b", step, "", b""),
            self.frame("o", step, "1", output.as_bytes()),
            self.frame("e", step, end, b""),
        ];
        frames.concat()
    }
}

fn two() -> (Machines, [Said; 2]) {
    let machines = Machines::new("n", ["a", "b"]);
    (machines, [Said::default(), Said::default()])
}

fn output(step: usize, text: &str) -> Event {
    Event::Output(step, Stream::Stdout, text.as_bytes().to_vec())
}

fn met(step: usize) -> Event {
    Event::StepEnded(step, StepResult::Ended(0, Verdict::Met))
}

#[test]
fn a_step_ends_when_it_has_ended_everywhere() {
    let (mut machines, [mut a, mut b]) = two();
    assert_eq!(
        machines.push(0, &a.frame("h", "", "1", b"")),
        [Event::Began]
    );
    assert_eq!(machines.push(1, &b.frame("h", "", "1", b"")), []);
    let first = machines.push(0, &a.step("0", "one\ntw", "met,0"));
    let expected = [
        Event::StepBegan(0),
        output(0, "[a] one\n"),
        output(0, "[a] tw\n"),
    ];
    assert_eq!(first, expected);
    // It is ahead: the second step waits for the other machine.
    assert_eq!(machines.push(0, &a.step("1", "later\n", "met,0")), []);
    let both = machines.push(1, &b.step("0", "three\n", "met,0"));
    let expected = [
        output(0, "[b] three\n"),
        met(0),
        Event::StepBegan(1),
        output(1, "[a] later\n"),
    ];
    assert_eq!(both, expected);
    assert_eq!(machines.push(0, &a.frame("z", "", "0", b"")), []);
    machines.push(1, &b.step("1", "", "met,0"));
    let end = machines.push(1, &b.frame("z", "", "0", b""));
    assert_eq!(end, [Event::Ended(0)]);
    assert_eq!(machines.lost().count(), 0);
}

#[test]
fn one_failure_fails_the_step_and_later_steps_do_not_count() {
    let (mut machines, [mut a, mut b]) = two();
    let failed = [a.step("0", "", "met,0"), a.step("1", "x\n", "met,0")].concat();
    machines.push(0, &failed);
    let events = machines.push(1, &b.step("0", "no\n", "exit,9"));
    let expected = [
        output(0, "[b] no\n"),
        Event::FailedOn("on b (1 of 2 machines)".to_owned()),
        Event::StepEnded(0, StepResult::Ended(9, Verdict::Exit)),
    ];
    assert_eq!(
        events, expected,
        "the second step of the first machine is dropped"
    );
    assert_eq!(machines.push(1, &b.frame("z", "", "1", b"")), []);
    let end = machines.push(0, &a.frame("z", "", "0", b""));
    assert_eq!(end, [Event::Ended(1)]);
}

#[test]
fn files_carry_the_name_of_their_machine_and_stay_together() {
    let (mut machines, [mut a, mut b]) = two();
    let file = |said: &mut Said, data: &[u8]| {
        let parts = [
            said.frame("b", "0", "", b""),
            said.frame("f", "0", "2", b"dist/x"),
            said.frame("d", "0", "", data),
        ];
        parts.concat()
    };
    machines.push(0, &file(&mut a, b"aa"));
    assert_eq!(machines.push(1, &file(&mut b, b"bb")), []);
    let events = machines.push(1, &b.frame("e", "0", "met,0", b""));
    let expected = [
        Event::File(0, 2, "b/dist/x".to_owned()),
        Event::FileData(0, b"bb".to_vec()),
    ];
    assert_eq!(events, expected);
    let events = machines.push(0, &a.frame("e", "0", "met,0", b""));
    let expected = [
        Event::File(0, 2, "a/dist/x".to_owned()),
        Event::FileData(0, b"aa".to_vec()),
        met(0),
    ];
    assert_eq!(events, expected);
}

#[test]
fn a_machine_that_is_lost_keeps_the_run_from_ending_well() {
    let (mut machines, [mut a, _]) = two();
    let whole = [a.step("0", "", "met,0"), a.frame("z", "", "0", b"")].concat();
    machines.push(0, &whole);
    assert_eq!(machines.finish(0), []);
    assert_eq!(machines.finish(1), []);
    assert_eq!(machines.lost().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn what_is_cancelled_somewhere_is_cancelled() {
    let (mut machines, [mut a, mut b]) = two();
    let mut events = Vec::new();
    for (index, said) in [&mut a, &mut b].into_iter().enumerate() {
        let parts = [
            said.frame("b", "0", "", b""),
            said.frame("c", "0", "", b""),
            said.frame("z", "", "143", b""),
        ];
        events.extend(machines.push(index, &parts.concat()));
    }
    assert!(events.contains(&Event::Cancelled(Some(0))), "{events:?}");
    assert_eq!(events.last(), Some(&Event::Ended(1)));
}

#[test]
fn a_machine_that_is_far_ahead_is_not_read() {
    let (mut machines, [mut a, _]) = two();
    machines.push(0, &a.step("0", "", "met,0"));
    machines.push(0, &a.frame("b", "1", "", b""));
    let line = [b'x'; 9000];
    while !machines.is_ahead(0) {
        machines.push(0, &a.frame("o", "1", "1", &line));
    }
    assert!(a.sequence < 200, "{}", a.sequence);
    machines.finish(1);
    assert!(!machines.is_ahead(0), "nothing has to wait any more");
}
