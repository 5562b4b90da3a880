//! Random acts by two agents and a person, on the store and on a model of a few lines; both must
//! come to the same.

use proptest::prelude::*;
use serde_json::json;
use windlass_core::workflow::{GateDefinition, GateStatus, Phases, ReviewStatus};
use windlass_core::{Actor, Dialect, EntityId, Origin, RelationType, Result, TaskStatus};
use windlass_store::{GateScope, TaskFilter, WorkPlace};

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

#[derive(Clone)]
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
        let blocked = self.is_blocked(at);
        let submitter = self.tasks[at].review.as_ref().map(|it| it.submitter);
        let others = self.seen.iter().any(|agent| Some(*agent) != submitter);
        let task = &mut self.tasks[at];
        let possible = match act {
            Act::Start | Act::Submit | Act::Cancel | Act::Help => task.work(who, act, blocked),
            Act::GatePasses | Act::GateFails | Act::Rerun => task.gates(who, act),
            Act::Approve | Act::RequestChanges => task.judge(who, act, others),
            Act::ForceComplete | Act::Respond | Act::Resume | Act::SetStatus(_) => {
                who == Who::Person && task.decide(act)
            }
        };
        task.settle();
        if possible && who != Who::Person && !self.seen.contains(&who) {
            self.seen.push(who);
        }
        possible
    }

    /// All that is possible now. What ends a task is left for now and then, or nothing would go far.
    fn possible(&self, endings: bool) -> Vec<(usize, Who, Act)> {
        let mut found = Vec::new();
        for at in 0..self.tasks.len() {
            for who in [Who::One, Who::Two, Who::Person] {
                for act in every_act() {
                    let ends = [Act::Cancel, Act::ForceComplete].contains(&act)
                        || matches!(act, Act::SetStatus(_));
                    if (endings || !ends) && self.clone().apply(at, who, act) {
                        found.push((at, who, act));
                    }
                }
            }
        }
        found
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
    fn work(&mut self, who: Who, act: Act, blocked: bool) -> bool {
        use TaskStatus as S;
        let held_by_other = self.claim.is_some_and(|owner| owner != who);
        match act {
            Act::Start => {
                let fresh = self.status == S::Pending;
                let left = self.status == S::InProgress && self.claim.is_none();
                let can = (fresh || left) && !blocked && !held_by_other;
                if can {
                    self.status = S::InProgress;
                    self.claim = Some(who);
                }
                can
            }
            Act::Submit if held_by_other && who != Who::Person => false,
            Act::Submit if self.status == S::InProgress => {
                self.status = S::InReview;
                self.review = Some(Review {
                    status: ReviewStatus::GatesPending,
                    gate: Gate::Open,
                    failures: 0,
                    submitter: who,
                });
                true
            }
            Act::Submit => match &mut self.review {
                Some(review)
                    if self.status == S::InReview
                        && review.status == ReviewStatus::GatesPending
                        && review.gate == Gate::Failed =>
                {
                    review.gate = Gate::Open;
                    review.submitter = who;
                    true
                }
                _ => false,
            },
            Act::Cancel => {
                let can = self.status != S::Done;
                if can {
                    self.end(S::Cancelled);
                }
                can
            }
            _ => {
                let can = [S::Pending, S::InProgress, S::InReview].contains(&self.status);
                if can {
                    self.help = Some((self.status, false));
                    self.status = S::AwaitingHuman;
                }
                can
            }
        }
    }

    fn gates(&mut self, who: Who, act: Act) -> bool {
        let Some(review) = &mut self.review else {
            return false;
        };
        let pending = review.status == ReviewStatus::GatesPending;
        match act {
            Act::GatePasses if pending && review.gate == Gate::Open => {
                review.gate = Gate::Passed;
                true
            }
            Act::GateFails if pending && review.gate == Gate::Open => {
                review.gate = Gate::Failed;
                review.failures += 1;
                true
            }
            Act::Rerun if review.gate == Gate::Failed => {
                let escalated = review.status == ReviewStatus::GatesEscalated;
                let can = pending || (escalated && who == Who::Person);
                if can {
                    review.status = ReviewStatus::GatesPending;
                    review.gate = Gate::Open;
                }
                can
            }
            _ => false,
        }
    }

    fn judge(&mut self, who: Who, act: Act, others: bool) -> bool {
        let person = who == Who::Person;
        let Some(review) = &mut self.review else {
            return false;
        };
        if self.status != TaskStatus::InReview {
            return false;
        }
        match (act, review.status) {
            (Act::Approve, ReviewStatus::GatesEscalated) if person => {
                review.status = ReviewStatus::AgentPending;
            }
            (Act::Approve, ReviewStatus::AgentPending | ReviewStatus::HumanPending) if person => {
                self.end(TaskStatus::Done);
            }
            (Act::Approve, ReviewStatus::AgentPending) if who != review.submitter || !others => {
                review.status = ReviewStatus::HumanPending;
            }
            (Act::RequestChanges, ReviewStatus::AgentPending | ReviewStatus::HumanPending) => {
                self.status = TaskStatus::InProgress;
                self.review = None;
            }
            _ => return false,
        }
        true
    }

    /// What only a person does.
    fn decide(&mut self, act: Act) -> bool {
        use TaskStatus as S;
        match act {
            Act::ForceComplete if self.status == S::InReview => self.end(S::Done),
            Act::Respond => match &mut self.help {
                Some((_, answered)) => *answered = true,
                None => return false,
            },
            Act::Resume => match self.help {
                Some((back, true)) => {
                    self.help = None;
                    self.status = back;
                }
                _ => return false,
            },
            Act::SetStatus(wanted) if wanted == self.status => {}
            Act::SetStatus(wanted) => match wanted {
                S::InReview if self.review.is_none() => return false,
                S::InReview => {
                    self.help = None;
                    self.status = wanted;
                }
                S::AwaitingHuman => return false,
                S::Done | S::Cancelled => self.end(wanted),
                other => {
                    self.help = None;
                    self.review = None;
                    self.status = other;
                }
            },
            _ => return false,
        }
        true
    }

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
                let next = reader.next_task(&who.origin().session, TaskFilter::default())?;
                let next = next.map(|task| task.id);
                assert_eq!(next.as_ref(), model.next(who).map(|at| &ids[at]));
            }
            Ok(())
        })
        .expect("read");
}

fn every_act() -> Vec<Act> {
    let mut acts = vec![
        Act::Start,
        Act::Submit,
        Act::GatePasses,
        Act::GateFails,
        Act::Rerun,
        Act::Approve,
        Act::RequestChanges,
        Act::ForceComplete,
        Act::Cancel,
        Act::Help,
        Act::Respond,
        Act::Resume,
    ];
    let words = Dialect::Sdk.statuses().iter();
    let statuses = words.filter_map(|word| TaskStatus::parse_any(word));
    acts.extend(statuses.map(Act::SetStatus));
    acts
}

/// A step: mostly one of what is possible, by its number; now and then anything at all.
#[derive(Debug, Clone)]
enum Step {
    Possible(usize, bool),
    Anything(usize, Who, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = prop_oneof![Just(Who::One), Just(Who::Two), Just(Who::Person)];
    let step = prop_oneof![
        3 => (any::<usize>(), prop::bool::weighted(0.1)).prop_map(|(at, end)| Step::Possible(at, end)),
        2 => (0..3_usize, who, any::<usize>()).prop_map(|(at, who, act)| Step::Anything(at, who, act)),
    ];
    proptest::collection::vec(step, 20..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_what_the_model_does(steps in steps()) {
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
        for step in steps {
            let (at, who, act) = match step {
                Step::Possible(number, endings) => {
                    let possible = model.possible(endings);
                    let Some(chosen) = possible.get(number % possible.len().max(1)) else {
                        continue;
                    };
                    *chosen
                }
                Step::Anything(at, who, act) => {
                    let acts = every_act();
                    (at, who, acts[act % acts.len()])
                }
            };
            let possible = model.apply(at, who, act);
            let result = act_on_store(&sandbox, &ids[at], who, act);
            prop_assert_eq!(result.is_ok(), possible, "{:?} by {:?} on {}: {:?}", act, who, at, result);
            compare(&sandbox, &ids, &model);
        }
        prop_assert_eq!(sandbox.store.check(&person()).expect("checked"), Vec::<String>::new());
    }
}
