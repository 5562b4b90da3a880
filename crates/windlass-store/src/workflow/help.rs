//! Help requests: questions of agents, and the answers of people.

use rusqlite::{OptionalExtension as _, Row};
use serde_json::json;
use windlass_core::workflow::{HelpCategory, HelpStatus, NewHelp, Phases, TaskAction};
use windlass_core::{
    EntityId, EntityType, Error, ErrorKind, EventType, Page, Result, TaskStatus, Timestamp,
};

use super::local::{Noun, fresh_id};
use crate::carried::{Carried, numbers_in};
use crate::error::StorageContext as _;
use crate::reader::Reader;
use crate::writer::Writer;

const NOUN: Noun = Noun {
    table: "help_requests",
    name: "help request",
    missing: ErrorKind::HelpNotFound,
    list: "help_list",
};

const COLUMNS: &str = "id, number, task, from_status, category, reason, suggested_options, status,
    response, chosen_option, session, created_at, responded_at, resumed_at, former_numbers";

const MAX_RESPONSE_BYTES: usize = 20 * 1024;

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct HelpRequest {
    pub id: String,
    pub number: i64,
    pub task: EntityId,
    /// The status that the task returns to.
    pub from_status: TaskStatus,
    pub category: HelpCategory,
    pub reason: String,
    pub suggested_options: Vec<String>,
    pub status: HelpStatus,
    pub response: Option<String>,
    /// Which of the suggested options was chosen, counted from zero.
    pub chosen_option: Option<i64>,
    pub session: String,
    pub created_at: Timestamp,
    pub responded_at: Option<Timestamp>,
    pub resumed_at: Option<Timestamp>,
    pub former_numbers: Vec<i64>,
}

impl HelpRequest {
    fn what(&self) -> String {
        format!("help request {}", self.number)
    }
}

/// Which help requests are requested. Newest first.
#[derive(Debug, Clone, Default)]
pub struct HelpFilter {
    pub task: Option<EntityId>,
    pub status: Option<HelpStatus>,
}

fn request(row: &Row<'_>) -> rusqlite::Result<HelpRequest> {
    let moment = |at: usize| -> rusqlite::Result<Option<Timestamp>> {
        Ok(row
            .get::<_, Option<String>>(at)?
            .map(Timestamp::from_stored))
    };
    Ok(HelpRequest {
        id: row.get(0)?,
        number: row.get(1)?,
        task: EntityId::from_stored(row.get::<_, String>(2)?),
        from_status: TaskStatus::parse(row.get_ref(3)?.as_str()?).unwrap_or(TaskStatus::Pending),
        category: HelpCategory::parse(row.get_ref(4)?.as_str()?)
            .unwrap_or(HelpCategory::Unexpected),
        reason: row.get(5)?,
        suggested_options: serde_json::from_str(row.get_ref(6)?.as_str()?).unwrap_or_default(),
        status: HelpStatus::parse(row.get_ref(7)?.as_str()?).unwrap_or(HelpStatus::Cancelled),
        response: row.get(8)?,
        chosen_option: row.get(9)?,
        session: row.get(10)?,
        created_at: Timestamp::from_stored(row.get(11)?),
        responded_at: moment(12)?,
        resumed_at: moment(13)?,
        former_numbers: numbers_in(row.get_ref(14)?.as_str()?),
    })
}

impl Reader<'_> {
    pub fn help_request(&self, text: &str) -> Result<HelpRequest> {
        let id = self.local_id(NOUN, text)?;
        self.one_help("id = ?1", &id)?
            .ok_or_else(|| NOUN.not_found(text))
    }

    /// The open help request of the task, if it has one.
    pub fn active_help(&self, task: &EntityId) -> Result<Option<HelpRequest>> {
        self.one_help(
            "task = ?1 AND status IN ('pending', 'responded')",
            task.as_str(),
        )
    }

    pub(crate) fn find_help(&self, id: &str) -> Result<Option<HelpRequest>> {
        self.one_help("id = ?1", id)
    }

    fn one_help(&self, condition: &str, value: &str) -> Result<Option<HelpRequest>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM help_requests WHERE {condition}"
            ))
            .and_then(|mut statement| statement.query_row([value], request).optional())
            .stored()
    }

    pub fn help_requests(&self, filter: &HelpFilter, page: Page) -> Result<Vec<HelpRequest>> {
        self.connection()
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM help_requests
                 WHERE (?1 IS NULL OR task = ?1) AND (?2 IS NULL OR status = ?2)
                 ORDER BY number DESC LIMIT ?3 OFFSET ?4"
            ))
            .and_then(|mut statement| {
                let values = (
                    filter.task.as_ref().map(EntityId::as_str),
                    filter.status.map(HelpStatus::name),
                    page.limit,
                    page.offset,
                );
                statement.query_map(values, request)?.collect()
            })
            .stored()
    }
}

impl Writer<'_> {
    /// Asks a person; the task then waits.
    pub fn request_help(&self, task: &EntityId, new: &NewHelp) -> Result<HelpRequest> {
        new.check()?;
        let task = self.work_item(task)?;
        let from = task.task_status().unwrap_or(TaskStatus::Pending);
        self.move_task(&task, TaskAction::RequestHelp, &[])?;
        let (id, number) = (fresh_id(), self.next_work_number(NOUN.table)?);
        self.connection()
            .prepare_cached(
                "INSERT INTO help_requests (id, task, from_status, category, reason,
                     suggested_options, status, session, created_at, number)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', ?7, ?8, ?9)",
            )
            .and_then(|mut statement| {
                statement.execute((
                    &id,
                    task.id.as_str(),
                    from.name(),
                    new.category.name(),
                    &new.reason,
                    json!(new.suggested_options).to_string(),
                    &self.origin.session,
                    Timestamp::now().as_str(),
                    number,
                ))
            })
            .stored()?;
        self.carry(Carried::Help(id.clone()));
        let created = self.help_request(&id)?;
        self.help_event(EventType::HelpRequested, &created)?;
        Ok(created)
    }

    /// A person answers, with text or with one of the suggested options.
    pub fn respond_to_help(
        &self,
        text: &str,
        response: Option<&str>,
        chosen_option: Option<i64>,
    ) -> Result<HelpRequest> {
        let request = self.help_request(text)?;
        let next = request.status.respond(&request.what(), self.origin.actor)?;
        let chosen = match chosen_option {
            None => None,
            Some(at) => {
                let found = usize::try_from(at).ok();
                let found = found.and_then(|at| request.suggested_options.get(at));
                Some(found.ok_or_else(|| {
                    let count = request.suggested_options.len();
                    Error::validation(
                        "chosen_option",
                        format!("{at} is not one of the {count} suggested options, counted from 0"),
                    )
                })?)
            }
        };
        let said = response.map(str::trim).filter(|text| !text.is_empty());
        let Some(response) = said.or(chosen.map(String::as_str)) else {
            return Err(
                Error::validation("response", "or chosen_option is required")
                    .with_hint("Answer with text, or choose one of the suggested options."),
            );
        };
        if response.len() > MAX_RESPONSE_BYTES {
            return Err(Error::validation(
                "response",
                format!("must have at most {MAX_RESPONSE_BYTES} bytes"),
            ));
        }
        self.connection()
            .prepare_cached(
                "UPDATE help_requests SET status = ?2, response = ?3, chosen_option = ?4,
                     responded_at = ?5 WHERE id = ?1",
            )
            .and_then(|mut statement| {
                let now = Timestamp::now();
                let values = (
                    &request.id,
                    next.name(),
                    response,
                    chosen_option,
                    now.as_str(),
                );
                statement.execute(values)
            })
            .stored()?;
        self.carry(Carried::Help(request.id.clone()));
        let answered = self.help_request(&request.id)?;
        self.help_event(EventType::HelpResponded, &answered)?;
        Ok(answered)
    }

    /// A person lets the task continue in its previous status.
    pub fn resume_task(&self, task: &EntityId, phases: Phases) -> Result<HelpRequest> {
        let task = self.work_item(task)?;
        let Some(request) = self.active_help(&task.id)? else {
            // Refuses with the state of the task, or because there is no help request.
            TaskAction::Resume(TaskStatus::InProgress).apply(
                &format!("task {}", task.number),
                task.task_status().unwrap_or(TaskStatus::Pending),
                self.origin.actor,
            )?;
            return Err(Error::new(
                ErrorKind::HelpNotFound,
                format!("Task {} has no open help request", task.number),
            )
            .with_hint(
                "Use [[work_set_status]] to move a task that waits without a help request.",
            ));
        };
        let next = request.status.resume(&request.what(), self.origin.actor)?;
        self.end_help(&request, next, EventType::HelpResumed)?;
        self.move_task(&task, TaskAction::Resume(request.from_status), &[])?;
        // Its gates may have finished in the meantime.
        if let Some(review) = self.active_review(&task.id)? {
            self.settle_gates(&review, phases)?;
        }
        self.help_request(&request.id)
    }

    pub(crate) fn end_help(
        &self,
        request: &HelpRequest,
        status: HelpStatus,
        event: EventType,
    ) -> Result<()> {
        self.connection()
            .prepare_cached("UPDATE help_requests SET status = ?2, resumed_at = ?3 WHERE id = ?1")
            .and_then(|mut statement| {
                let resumed = status == HelpStatus::Resolved;
                let at = resumed.then(|| Timestamp::now().as_str().to_owned());
                statement.execute((&request.id, status.name(), at))
            })
            .stored()?;
        self.carry(Carried::Help(request.id.clone()));
        let ended = self.help_request(&request.id)?;
        self.help_event(event, &ended)
    }

    fn help_event(&self, kind: EventType, request: &HelpRequest) -> Result<()> {
        let number = self.find_entity(&request.task)?.map(|task| task.number);
        let payload = json!({
            "number": number,
            "help_id": request.id,
            "help": request.number,
            "category": request.category.name(),
            "status": request.status.name(),
        });
        self.record_event(kind, Some((&request.task, EntityType::Task)), &payload)
    }
}
