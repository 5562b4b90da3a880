//! Random acts by two agents and a person, on the store and on a model of a few lines; both must
//! come to the same.

use proptest::prelude::*;
use serde_json::json;
use windlass_core::workflow::{GateDefinition, GateStatus, Phases, ReviewStatus};
use windlass_core::{Actor, Dialect, EntityId, Origin, RelationType, Result, TaskStatus};
use windlass_store::{GateScope, WorkPlace};

use crate::support::{Sandbox, sandbox};
use crate::workflow::{by, ended, help, person, submission, who};

/// How often the gate may fail.
const RETRIES: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Start,
    Submit,
    GatePasses,
    GateFails,
    Rerun,
    Approve,
    RequestChanges,
    ForceComplete,
    Cancel,
    Help,
    Respond,
    Resume,
    SetStatus(TaskStatus),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Who {
    One,
    Two,
    Person,
}

impl Who {
    fn origin(self) -> Origin {
        match self {
            Self::One => who(Actor::Agent, "one"),
            Self::Two => who(Actor::Agent, "two"),
            Self::Person => person(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Gate {
    Open,
    Passed,
    Failed,
}

#[derive(Debug, Clone)]
struct Review {
    status: ReviewStatus,
    gate: Gate,
    failures: u32,
    submitter: Who,
}

#[derive(Debug, Clone)]
struct Task {
    status: TaskStatus,
    review: Option<Review>,
    /// Where it goes back to, and whether the question is answered.
    help: Option<(TaskStatus, bool)>,
    claim: Option<Who>,
}

struct Model {
    tasks: [Task; 3],
    /// Agents that have done something.
    seen: Vec<Who>,
}

impl Model {
    fn new() -> Self {
        let task = Task {
            status: TaskStatus::Pending,
            review: None,
            help: None,
            claim: None,
        };
        Self {
            tasks: [task.clone(), task.clone(), task],
            seen: Vec::new(),
        }
    }

    /// The second task waits for the first.
    fn is_blocked(&self, at: usize) -> bool {
        at == 1 && self.tasks[0].status != TaskStatus::Done
    }

    /// Whether the act is possible; if it is, it is done.
    fn apply(&mut self, at: usize, who: Who, act: Act) -> bool {
        use TaskStatus as S;
        let blocked = self.is_blocked(at);
        let person = who == Who::Person;
        let other_agent = |submitter: Who| {
            self.seen
                .iter()
                .any(|agent| *agent != submitter && *agent != Who::Person)
        };
        let others = self.tasks[at]
            .review
            .as_ref()
            .is_some_and(|it| other_agent(it.submitter));
        let task = &mut self.tasks[at];
        let held_by_other = task.claim.is_some_and(|owner| owner != who);
        let possible = match act {
            Act::Start => {
                let fresh = task.status == S::Pending;
                let left = task.status == S::InProgress && task.claim.is_none();
                let can = (fresh || left) && !blocked && !held_by_other;
                if can {
                    task.status = S::InProgress;
                    task.claim = Some(who);
                }
                can
            }
            Act::Submit if held_by_other && !person => false,
            Act::Submit if task.status == S::InProgress => {
                task.status = S::InReview;
                task.review = Some(Review {
                    status: ReviewStatus::GatesPending,
                    gate: Gate::Open,
                    failures: 0,
                    submitter: who,
                });
                true
            }
            Act::Submit => match &mut task.review {
                Some(review)
                    if task.status == S::InReview
                        && review.status == ReviewStatus::GatesPending
                        && review.gate == Gate::Failed =>
                {
                    review.gate = Gate::Open;
                    review.submitter = who;
                    true
                }
                _ => false,
            },
            Act::GatePasses | Act::GateFails => match &mut task.review {
                Some(review)
                    if review.status == ReviewStatus::GatesPending && review.gate == Gate::Open =>
                {
                    if act == Act::GatePasses {
                        review.gate = Gate::Passed;
                    } else {
                        review.gate = Gate::Failed;
                        review.failures += 1;
                    }
                    true
                }
                _ => false,
            },
            Act::Rerun => match &mut task.review {
                Some(review) if review.gate == Gate::Failed => {
                    let can = match review.status {
                        ReviewStatus::GatesPending => true,
                        ReviewStatus::GatesEscalated => person,
                        _ => false,
                    };
                    if can {
                        review.status = ReviewStatus::GatesPending;
                        review.gate = Gate::Open;
                    }
                    can
                }
                _ => false,
            },
            Act::Approve => match &mut task.review {
                Some(review) if task.status == S::InReview => match review.status {
                    ReviewStatus::GatesEscalated if person => {
                        review.status = ReviewStatus::AgentPending;
                        true
                    }
                    ReviewStatus::AgentPending | ReviewStatus::HumanPending if person => {
                        task.end(S::Done);
                        true
                    }
                    ReviewStatus::AgentPending if who != review.submitter || !others => {
                        review.status = ReviewStatus::HumanPending;
                        true
                    }
                    _ => false,
                },
                _ => false,
            },
            Act::RequestChanges => {
                let judged = [ReviewStatus::AgentPending, ReviewStatus::HumanPending];
                let can = task.status == S::InReview
                    && task
                        .review
                        .as_ref()
                        .is_some_and(|it| judged.contains(&it.status));
                if can {
                    task.status = S::InProgress;
                    task.review = None;
                }
                can
            }
            Act::ForceComplete => {
                let can = person && task.status == S::InReview;
                if can {
                    task.end(S::Done);
                }
                can
            }
            Act::Cancel => {
                let can = task.status != S::Done;
                if can {
                    task.end(S::Cancelled);
                }
                can
            }
            Act::Help => {
                let can = [S::Pending, S::InProgress, S::InReview].contains(&task.status);
                if can {
                    task.help = Some((task.status, false));
                    task.status = S::AwaitingHuman;
                }
                can
            }
            Act::Respond => match &mut task.help {
                Some((_, answered)) if person => {
                    *answered = true;
                    true
                }
                _ => false,
            },
            Act::Resume => match task.help {
                Some((back, true)) if person => {
                    task.help = None;
                    task.status = back;
                    true
                }
                _ => false,
            },
            Act::SetStatus(wanted) => {
                let can = person
                    && (wanted == task.status
                        || match wanted {
                            S::InReview => task.review.is_some(),
                            S::AwaitingHuman => task.help.is_some(),
                            _ => true,
                        });
                if can && wanted != task.status {
                    task.help = None;
                    if wanted == S::InReview {
                        task.status = wanted;
                    } else if matches!(wanted, S::Done | S::Cancelled) {
                        task.end(wanted);
                    } else {
                        task.status = wanted;
                        task.review = None;
                    }
                }
                can
            }
        };
        task.settle();
        if possible && !person && !self.seen.contains(&who) {
            self.seen.push(who);
        }
        possible
    }

    fn next(&self, who: Who) -> Option<usize> {
        (0..self.tasks.len()).find(|at| {
            let task = &self.tasks[*at];
            task.status.is_workable()
                && !self.is_blocked(*at)
                && task.claim.is_none_or(|owner| owner == who)
        })
    }
}

impl Task {
    fn end(&mut self, status: TaskStatus) {
        self.status = status;
        self.review = None;
        self.help = None;
        self.claim = None;
    }

    /// Gates that have come to an end move the review of a task that is in review.
    fn settle(&mut self) {
        if self.status != TaskStatus::InReview {
            return;
        }
        if let Some(review) = &mut self.review
            && review.status == ReviewStatus::GatesPending
        {
            match review.gate {
                Gate::Passed => review.status = ReviewStatus::AgentPending,
                Gate::Failed if review.failures >= RETRIES => {
                    review.status = ReviewStatus::GatesEscalated;
                }
                _ => {}
            }
        }
    }
}

/// The same on the store.
fn act_on_store(sandbox: &Sandbox, id: &EntityId, who: Who, act: Act) -> Result<()> {
    let phases = Phases::default();
    by(sandbox, &who.origin(), |writer| {
        let review = || {
            let found = writer.active_review(id)?;
            found.ok_or_else(|| windlass_core::Error::internal("no review"))
        };
        match act {
            Act::Start => writer.start_task(id, &WorkPlace::default()).map(drop),
            Act::Submit => writer.submit_task(id, &submission()).map(drop),
            Act::GatePasses | Act::GateFails => {
                let results = writer.current_results(&review()?)?;
                let open = results.iter().find(|it| it.status.is_open());
                let open = open.ok_or_else(|| windlass_core::Error::internal("none is open"))?;
                writer.gate_started(open)?;
                let end = if act == Act::GatePasses {
                    ended(GateStatus::Passed, 0)
                } else {
                    ended(GateStatus::Failed, 1)
                };
                writer.gate_ended(open, &end, phases).map(drop)
            }
            Act::Rerun => writer.rerun_gates(&review()?.id, None, phases).map(drop),
            Act::Approve => writer.approve_review(&review()?.id, phases).map(drop),
            Act::RequestChanges => writer.request_changes(&review()?.id, &[], None).map(drop),
            Act::ForceComplete => writer.force_complete(id).map(drop),
            Act::Cancel => writer.cancel_task(id).map(drop),
            Act::Help => writer.request_help(id, &help()).map(drop),
            Act::Respond => {
                let request = writer.active_help(id)?;
                let request =
                    request.ok_or_else(|| windlass_core::Error::internal("no question"))?;
                writer
                    .respond_to_help(&request.id, Some("this"), None)
                    .map(drop)
            }
            Act::Resume => writer.resume_task(id, phases).map(drop),
            Act::SetStatus(status) => writer.set_task_status(id, status, phases).map(drop),
        }
    })
}

fn compare(sandbox: &Sandbox, ids: &[EntityId; 3], model: &Model) {
    sandbox
        .store
        .read(None, |reader| {
            for (id, expected) in ids.iter().zip(&model.tasks) {
                assert_eq!(reader.entity(id)?.task_status(), Some(expected.status));
                let review = reader.active_review(id)?.map(|it| it.status);
                assert_eq!(review, expected.review.as_ref().map(|it| it.status));
                let answered = reader.active_help(id)?.map(|it| it.response.is_some());
                assert_eq!(answered, expected.help.map(|(_, answered)| answered));
                let claim = reader.claim_of(id)?.map(|(owner, _)| owner);
                assert_eq!(claim, expected.claim.map(|owner| owner.origin().session));
            }
            for who in [Who::One, Who::Two] {
                let next = reader.next_ready(&who.origin().session, None)?;
                let next = next.map(|task| task.id);
                assert_eq!(next.as_ref(), model.next(who).map(|at| &ids[at]));
            }
            Ok(())
        })
        .expect("read");
}

fn acts() -> impl Strategy<Value = Vec<(usize, Who, Act)>> {
    let status = prop_oneof![
        Just(TaskStatus::Pending),
        Just(TaskStatus::InProgress),
        Just(TaskStatus::InReview),
        Just(TaskStatus::AwaitingHuman),
        Just(TaskStatus::Blocked),
        Just(TaskStatus::Done),
        Just(TaskStatus::Cancelled),
    ];
    // What leads on is tried more often than what ends everything.
    let act = prop_oneof![
        6 => Just(Act::Start),
        6 => Just(Act::Submit),
        5 => Just(Act::GatePasses),
        4 => Just(Act::GateFails),
        2 => Just(Act::Rerun),
        5 => Just(Act::Approve),
        2 => Just(Act::RequestChanges),
        1 => Just(Act::ForceComplete),
        1 => Just(Act::Cancel),
        2 => Just(Act::Help),
        3 => Just(Act::Respond),
        3 => Just(Act::Resume),
        1 => status.prop_map(Act::SetStatus),
    ];
    let who = prop_oneof![Just(Who::One), Just(Who::Two), Just(Who::Person)];
    proptest::collection::vec((0..3_usize, who, act), 1..50)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_what_the_model_does(acts in acts()) {
        let sandbox = sandbox();
        let ids = ["A", "B", "C"].map(|title| {
            let made = windlass_core::Draft::new(
                windlass_core::EntityType::Task, title, None, &[],
                json!({}).as_object().expect("an object"), Dialect::Sdk,
            );
            let made = made.expect("valid");
            by(&sandbox, &person(), |writer| writer.create(made)).expect("made").id
        });
        by(&sandbox, &person(), |writer| {
            let mut gate = GateDefinition::new("gate", "true");
            gate.max_retries = RETRIES;
            writer.add_gate(&GateScope::Repo, &gate)?;
            let (first, second) = (writer.entity(&ids[0])?, writer.entity(&ids[1])?);
            writer.relate(&first, RelationType::Blocks, &second)
        }).expect("prepared");
        let mut model = Model::new();
        for (at, who, act) in acts {
            let possible = model.apply(at, who, act);
            let result = act_on_store(&sandbox, &ids[at], who, act);
            prop_assert_eq!(result.is_ok(), possible, "{:?} by {:?} on {}: {:?}", act, who, at, result);
            compare(&sandbox, &ids, &model);
        }
        prop_assert_eq!(sandbox.store.check(&person()).expect("checked"), Vec::<String>::new());
    }
}
