//! Random actions by two agents and a person, on the store and on a small model; both must give the
//! same result.

use proptest::prelude::*;
use serde_json::json;
use windlass_core::workflow::{GateDefinition, GateStatus, Phases, ReviewStatus};
use windlass_core::{Actor, Dialect, EntityId, Origin, Patch, RelationType, Result, TaskStatus};
use windlass_store::{GateScope, TaskFilter, WorkPlace};

use crate::support::{Sandbox, sandbox};
use crate::workflow::{by, ended, help, person, submission, who};

/// How often the gate may fail.
const RETRIES: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Action {
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
    /// By a tool that is not part of the lifecycle.
    OtherStatus(TaskStatus),
    Release,
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
    /// The status that it returns to, and whether the question is answered.
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

    /// Applies the action if it is allowed. Returns whether it was.
    fn apply(&mut self, at: usize, who: Who, action: Action) -> bool {
        let blocked = self.is_blocked(at);
        let submitter = self.tasks[at].review.as_ref().map(|it| it.submitter);
        let others = self.seen.iter().any(|agent| Some(*agent) != submitter);
        let task = &mut self.tasks[at];
        let possible = match action {
            Action::Start | Action::Submit | Action::Cancel | Action::Help => {
                task.work(who, action, blocked)
            }
            Action::GatePasses | Action::GateFails | Action::Rerun => task.gates(who, action),
            Action::OtherStatus(wanted) => task.set(who, wanted),
            Action::Release => {
                let can = task
                    .claim
                    .is_none_or(|owner| who == Who::Person || owner == who);
                if can {
                    task.claim = None;
                }
                can
            }
            Action::Approve | Action::RequestChanges => task.judge(who, action, others),
            Action::ForceComplete | Action::Respond | Action::Resume | Action::SetStatus(_) => {
                who == Who::Person && task.decide(action)
            }
        };
        task.settle();
        if possible && who != Who::Person && !self.seen.contains(&who) {
            self.seen.push(who);
        }
        possible
    }

    /// All allowed actions. Actions that end a task are only included now and then, so that
    /// sequences get long.
    fn possible(&self, endings: bool) -> Vec<(usize, Who, Action)> {
        let mut found = Vec::new();
        for at in 0..self.tasks.len() {
            for who in [Who::One, Who::Two, Who::Person] {
                for action in every_action() {
                    let ends = [Action::Cancel, Action::ForceComplete].contains(&action)
                        || matches!(action, Action::SetStatus(_) | Action::OtherStatus(_));
                    if (endings || !ends) && self.clone().apply(at, who, action) {
                        found.push((at, who, action));
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
    fn work(&mut self, who: Who, action: Action, blocked: bool) -> bool {
        use TaskStatus as S;
        let held_by_other = self.claim.is_some_and(|owner| owner != who);
        match action {
            Action::Start => {
                let fresh = self.status == S::Pending;
                let left = self.status == S::InProgress && self.claim.is_none();
                let can = (fresh || left) && !blocked && !held_by_other;
                if can {
                    self.status = S::InProgress;
                    self.claim = Some(who);
                }
                can
            }
            Action::Submit if held_by_other && who != Who::Person => false,
            Action::Submit if self.status == S::InProgress && self.review.is_some() => {
                self.status = S::InReview;
                if let Some(review) = &mut self.review {
                    review.gate = Gate::Open;
                    review.submitter = who;
                }
                true
            }
            Action::Submit if self.status == S::InProgress => {
                self.status = S::InReview;
                self.review = Some(Review {
                    status: ReviewStatus::GatesPending,
                    gate: Gate::Open,
                    failures: 0,
                    submitter: who,
                });
                true
            }
            Action::Submit => match &mut self.review {
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
            Action::Cancel => {
                let free = who == Who::Person || (self.review.is_none() && !held_by_other);
                let can = self.status != S::Done && free;
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
                    self.release(who);
                }
                can
            }
        }
    }

    fn gates(&mut self, who: Who, action: Action) -> bool {
        let Some(review) = &mut self.review else {
            return false;
        };
        let pending = review.status == ReviewStatus::GatesPending;
        match action {
            Action::GatePasses if pending && review.gate == Gate::Open => {
                review.gate = Gate::Passed;
                true
            }
            Action::GateFails if pending && review.gate == Gate::Open => {
                review.gate = Gate::Failed;
                review.failures += 1;
                true
            }
            Action::Rerun if review.gate == Gate::Failed => {
                let escalated = review.status == ReviewStatus::GatesEscalated;
                let returned = self.status == TaskStatus::InProgress;
                let held = [TaskStatus::InReview, TaskStatus::AwaitingHuman].contains(&self.status);
                let free = who == Who::Person || self.claim.is_none_or(|owner| owner == who);
                let can =
                    (pending || (escalated && who == Who::Person)) && (held || (returned && free));
                if can {
                    review.status = ReviewStatus::GatesPending;
                    review.gate = Gate::Open;
                    if returned {
                        self.status = TaskStatus::InReview;
                    }
                }
                can
            }
            _ => false,
        }
    }

    fn judge(&mut self, who: Who, action: Action, others: bool) -> bool {
        let person = who == Who::Person;
        let Some(review) = &mut self.review else {
            return false;
        };
        if self.status != TaskStatus::InReview {
            return false;
        }
        match (action, review.status) {
            (Action::Approve, ReviewStatus::GatesEscalated) if person => {
                review.status = ReviewStatus::AgentPending;
            }
            (Action::Approve, ReviewStatus::AgentPending | ReviewStatus::HumanPending)
                if person =>
            {
                self.end(TaskStatus::Done);
            }
            (Action::Approve, ReviewStatus::AgentPending) if who != review.submitter || !others => {
                review.status = ReviewStatus::HumanPending;
            }
            (Action::RequestChanges, ReviewStatus::GatesPending) => return false,
            (Action::RequestChanges, from) if person || from == ReviewStatus::AgentPending => {
                self.status = TaskStatus::InProgress;
                self.review = None;
            }
            _ => return false,
        }
        true
    }

    /// Actions that only a person may take.
    fn decide(&mut self, action: Action) -> bool {
        use TaskStatus as S;
        match action {
            Action::ForceComplete if self.status == S::InReview => self.end(S::Done),
            Action::Respond => match &mut self.help {
                Some((_, answered)) => *answered = true,
                None => return false,
            },
            Action::Resume => match self.help {
                Some((back, true)) => {
                    self.help = None;
                    self.status = back;
                    if back != S::InReview {
                        self.review = None;
                    }
                    // Only a person resumes, and nobody holds what is pending.
                    if back == S::Pending {
                        self.claim = None;
                    }
                }
                _ => return false,
            },
            Action::SetStatus(wanted) if wanted == self.status => {}
            Action::SetStatus(wanted) => match wanted {
                S::InReview if self.review.is_none() => return false,
                S::InReview => {
                    self.help = None;
                    self.status = wanted;
                }
                S::AwaitingHuman => return false,
                S::Done | S::Cancelled => self.end(wanted),
                other => self.leave(Who::Person, other),
            },
            _ => return false,
        }
        true
    }

    /// Sets a status by other means than the lifecycle. Gates always apply here.
    fn set(&mut self, who: Who, wanted: TaskStatus) -> bool {
        use TaskStatus as S;
        if wanted == self.status {
            return true;
        }
        let agent = who != Who::Person;
        let held = [S::InReview, S::AwaitingHuman].contains(&self.status);
        let by_other = self.claim.is_some_and(|owner| owner != who);
        if agent
            && (self.help.is_some()
                || (self.review.is_some() && (held || wanted.is_ended()))
                || (wanted.is_ended() && by_other))
        {
            return false;
        }
        match wanted {
            S::Done | S::InReview | S::AwaitingHuman => return false,
            ended if ended.is_ended() => self.end(ended),
            other => self.leave(who, other),
        }
        true
    }

    /// Goes to a status in which it is not under review.
    fn leave(&mut self, who: Who, status: TaskStatus) {
        if [TaskStatus::InReview, TaskStatus::AwaitingHuman].contains(&self.status) {
            self.review = None;
        }
        self.help = None;
        self.status = status;
        if status != TaskStatus::InProgress {
            self.release(who);
        }
    }

    fn release(&mut self, who: Who) {
        if who == Who::Person || self.claim == Some(who) {
            self.claim = None;
        }
    }

    fn end(&mut self, status: TaskStatus) {
        self.status = status;
        self.review = None;
        self.help = None;
        self.claim = None;
    }

    /// When all gates have finished, the review of a task in review moves.
    fn settle(&mut self) {
        if self.status != TaskStatus::InReview {
            return;
        }
        if let Some(review) = &mut self.review
            && review.status == ReviewStatus::GatesPending
        {
            match review.gate {
                Gate::Passed => {
                    review.status = ReviewStatus::AgentPending;
                    self.claim = None;
                }
                Gate::Failed if review.failures >= RETRIES => {
                    review.status = ReviewStatus::GatesEscalated;
                    self.claim = None;
                }
                // Nobody works on it: it can be taken again.
                Gate::Failed if self.claim.is_none() => self.status = TaskStatus::InProgress,
                _ => {}
            }
        }
    }
}

/// The same on the store.
fn act_on_store(sandbox: &Sandbox, id: &EntityId, who: Who, action: Action) -> Result<()> {
    let phases = Phases::default();
    by(sandbox, &who.origin(), |writer| {
        let review = || {
            let found = writer.active_review(id)?;
            found.ok_or_else(|| windlass_core::Error::internal("no review"))
        };
        match action {
            Action::Start => writer.start_task(id, &WorkPlace::default()).map(drop),
            Action::Submit => writer.submit_task(id, &submission()).map(drop),
            Action::GatePasses | Action::GateFails => {
                let results = writer.current_results(&review()?)?;
                let open = results.iter().find(|it| it.status.is_open());
                let open = open.ok_or_else(|| windlass_core::Error::internal("none is open"))?;
                writer.gate_started(open)?;
                let end = if action == Action::GatePasses {
                    ended(GateStatus::Passed, 0)
                } else {
                    ended(GateStatus::Failed, 1)
                };
                writer.gate_ended(open, &end, phases).map(drop)
            }
            Action::Rerun => writer.rerun_gates(&review()?.id, None, phases).map(drop),
            Action::Approve => writer.approve_review(&review()?.id, phases).map(drop),
            Action::RequestChanges => writer.request_changes(&review()?.id, &[], None).map(drop),
            Action::ForceComplete => writer.force_complete(id).map(drop),
            Action::Cancel => writer.cancel_task(id).map(drop),
            Action::Help => writer.request_help(id, &help()).map(drop),
            Action::Respond => {
                let request = writer.active_help(id)?;
                let request =
                    request.ok_or_else(|| windlass_core::Error::internal("no question"))?;
                writer
                    .respond_to_help(&request.id, Some("this"), None)
                    .map(drop)
            }
            Action::Resume => writer.resume_task(id, phases).map(drop),
            Action::SetStatus(status) => writer.set_task_status(id, status, phases).map(drop),
            Action::OtherStatus(status) => {
                let mut patch = Patch::default();
                let word = Some(status.name().to_owned());
                patch.managed.insert("status", word);
                writer.update(id, &patch, Dialect::Plan).map(drop)
            }
            Action::Release => writer.release(id, &who.origin().session).map(drop),
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

fn every_action() -> Vec<Action> {
    let mut actions = vec![
        Action::Start,
        Action::Submit,
        Action::GatePasses,
        Action::GateFails,
        Action::Rerun,
        Action::Approve,
        Action::RequestChanges,
        Action::ForceComplete,
        Action::Cancel,
        Action::Help,
        Action::Respond,
        Action::Resume,
        Action::Release,
    ];
    let words = Dialect::Sdk.statuses().iter();
    for status in words.filter_map(|word| TaskStatus::parse_any(word)) {
        actions.push(Action::SetStatus(status));
        actions.push(Action::OtherStatus(status));
    }
    actions
}

/// A step: mostly one of the allowed actions, by index; sometimes any action.
#[derive(Debug, Clone)]
enum Step {
    Possible(usize, bool),
    Anything(usize, Who, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = prop_oneof![Just(Who::One), Just(Who::Two), Just(Who::Person)];
    let step = prop_oneof![
        3 => (any::<usize>(), prop::bool::weighted(0.1)).prop_map(|(at, end)| Step::Possible(at, end)),
        2 => (0..3_usize, who, any::<usize>()).prop_map(|(at, who, action)| Step::Anything(at, who, action)),
    ];
    proptest::collection::vec(step, 20..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_behaves_like_the_model(steps in steps()) {
        let sandbox = sandbox();
        let ids = ["A", "B", "C"].map(|title| {
            let created = windlass_core::Draft::new(
                windlass_core::EntityType::Task, title, None, &[],
                json!({}).as_object().expect("an object"), Dialect::Sdk,
            );
            let created = created.expect("valid");
            by(&sandbox, &person(), |writer| writer.create(created)).expect("created").id
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
            let (at, who, action) = match step {
                Step::Possible(number, endings) => {
                    let possible = model.possible(endings);
                    let Some(chosen) = possible.get(number % possible.len().max(1)) else {
                        continue;
                    };
                    *chosen
                }
                Step::Anything(at, who, action) => {
                    let actions = every_action();
                    (at, who, actions[action % actions.len()])
                }
            };
            let possible = model.apply(at, who, action);
            let result = act_on_store(&sandbox, &ids[at], who, action);
            prop_assert_eq!(result.is_ok(), possible, "{:?} by {:?} on {}: {:?}", action, who, at, result);
            compare(&sandbox, &ids, &model);
        }
        prop_assert_eq!(sandbox.store.check(&person()).expect("checked"), Vec::<String>::new());
    }
}
