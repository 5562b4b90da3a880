//! Follows a command on its machines.

use serde::Deserialize;
use serde_json::json;

use super::{Ssm, parts};
use crate::hosts::aws::Service;
use crate::hosts::backoff::Pace;
use crate::hosts::cloudwatch::{LogStream, Reading};
use crate::hosts::{Follower, HostEnd, HostError};
use crate::script::Machines;

/// Systems Manager returns as many characters of an output; the rest is only in CloudWatch.
const MOST_OUTPUT: usize = 24_000;

/// How often the log is read after the command has ended: its last lines may come late.
const READS_AFTER_END: usize = 6;

/// How often a command is asked for that was just sent and is not known yet.
const TRIES_UNTIL_KNOWN: usize = 20;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Invocation {
    #[serde(default)]
    status: String,
    #[serde(default)]
    status_details: String,
    #[serde(default)]
    standard_output_content: String,
    #[serde(default)]
    standard_error_content: String,
}

impl Invocation {
    /// Pending, InProgress, Delayed and Cancelling are not.
    fn has_ended(&self) -> bool {
        matches!(
            &*self.status,
            "Success" | "Cancelled" | "TimedOut" | "Failed"
        )
    }
}

/// A machine that executes the command.
struct Machine {
    name: String,
    log: Option<LogStream>,
    state: String,
    unknown: usize,
    /// Why it ended, once it has.
    end: Option<String>,
}

/// Where outputs go: as they are, or through what makes one script of several.
struct Sink<'a> {
    follower: &'a Follower,
    machines: Option<Machines>,
}

impl Sink<'_> {
    async fn output(&mut self, machine: usize, bytes: Vec<u8>) {
        match &mut self.machines {
            None => self.follower.output(bytes).await,
            Some(machines) => self.follower.events(machines.push(machine, &bytes)).await,
        }
    }

    async fn finish(&mut self, machine: usize) {
        if let Some(machines) = &mut self.machines {
            self.follower.events(machines.finish(machine)).await;
        }
    }

    fn is_ahead(&self, machine: usize) -> bool {
        self.machines
            .as_ref()
            .is_some_and(|machines| machines.is_ahead(machine))
    }
}

impl Ssm {
    pub(super) async fn follow_command(
        &self,
        id: &str,
        follower: &Follower,
    ) -> Result<HostEnd, HostError> {
        let (command, names) = parts(id);
        let mut machines: Vec<Machine> = names
            .iter()
            .map(|name| self.machine(command, name))
            .collect();
        let is_one = machines.len() == 1;
        let mut sink = Sink {
            follower,
            machines: (!is_one).then(|| Machines::new(follower.nonce(), names)),
        };
        let mut pace = Pace::new(self.options.poll, self.options.poll * 5);
        let mut last = String::new();
        loop {
            let mut is_new = false;
            for (index, machine) in machines.iter_mut().enumerate() {
                if machine.end.is_none() && !sink.is_ahead(index) {
                    is_new |= self.look(command, (index, machine), &mut sink).await?;
                }
            }
            let state = state_of(&machines);
            if !state.is_empty() {
                is_new |= state != last;
                follower.state(&state).await;
                last = state;
            }
            if machines.iter().all(|machine| machine.end.is_some()) {
                let problem = Some(problem_of(&machines, sink.machines.as_ref()));
                return Ok(HostEnd { problem });
            }
            pace.wait(is_new).await;
        }
    }

    fn machine(&self, command: &str, name: &str) -> Machine {
        let stream = format!("{command}/{name}/aws-runShellScript/stdout");
        let group = self.options.log_group.as_deref();
        Machine {
            name: name.to_owned(),
            log: group.map(|group| LogStream::new(group, stream)),
            state: String::new(),
            unknown: 0,
            end: None,
        }
    }

    /// Asks about a machine once, and sends what is new there.
    async fn look(
        &self,
        command: &str,
        (index, machine): (usize, &mut Machine),
        sink: &mut Sink<'_>,
    ) -> Result<bool, HostError> {
        let input = json!({"CommandId": command, "InstanceId": machine.name});
        let asked = self
            .aws
            .call(Service::Ssm, "GetCommandInvocation", &input)
            .await;
        let invocation: Invocation = match asked {
            Ok(invocation) => invocation,
            // It was sent a moment ago.
            Err(problem)
                if problem.is("InvocationDoesNotExist") && machine.unknown < TRIES_UNTIL_KNOWN =>
            {
                machine.unknown += 1;
                return Ok(true);
            }
            Err(problem) => return Err(problem.into()),
        };
        machine.state.clone_from(&invocation.status);
        if sink.machines.is_none() {
            sink.follower.state(&machine.state).await;
        }
        let mut is_new = false;
        if let Some(log) = &mut machine.log {
            while let Some(page) = log.next(&self.aws, Reading::Now).await? {
                is_new |= !page.is_empty();
                sink.output(index, page).await;
            }
            for _ in 0..READS_AFTER_END {
                if !invocation.has_ended() {
                    break;
                }
                while let Some(page) = log.next(&self.aws, Reading::ToTheEnd).await? {
                    sink.output(index, page).await;
                }
                tokio::time::sleep(self.options.poll).await;
            }
        }
        if invocation.has_ended() {
            let mut output = invocation.standard_output_content.clone().into_bytes();
            output.push(b'\n');
            sink.output(index, output).await;
            sink.finish(index).await;
            machine.end = Some(end_of(&invocation, machine.log.is_some()));
        }
        Ok(is_new)
    }
}

fn end_of(ended: &Invocation, has_log: bool) -> String {
    let mut problem = format!("the command ended: {}", ended.status_details);
    let said = ended.standard_error_content.trim();
    if !said.is_empty() {
        let said: String = said.chars().take(500).collect();
        problem = format!("{problem}; {said}");
    }
    if !has_log && ended.standard_output_content.chars().count() >= MOST_OUTPUT {
        problem = format!(
            "{problem}; only the first {MOST_OUTPUT} characters of its output are known: set \
             log_group under [runtimes.ssm]"
        );
    }
    problem
}

/// The state of one machine, or how many machines have which.
fn state_of(machines: &[Machine]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for machine in machines.iter().filter(|machine| !machine.state.is_empty()) {
        match counts.iter_mut().find(|(state, _)| *state == machine.state) {
            Some((_, count)) => *count += 1,
            None => counts.push((&machine.state, 1)),
        }
    }
    match counts.as_slice() {
        [(state, _)] => (*state).to_owned(),
        several => {
            let several = several
                .iter()
                .map(|(state, count)| format!("{count} {state}"));
            several.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Why machines ended: those whose scripts did not say it.
fn problem_of(machines: &[Machine], together: Option<&Machines>) -> String {
    let Some(together) = together else {
        let ends = machines.iter().filter_map(|machine| machine.end.clone());
        return ends.collect();
    };
    let lost: Vec<&str> = together.lost().collect();
    let lost = machines.iter().filter(|it| lost.contains(&&*it.name));
    let lost = lost.filter_map(|it| Some(format!("{}: {}", it.name, it.end.as_ref()?)));
    lost.collect::<Vec<_>>().join("; ")
}
