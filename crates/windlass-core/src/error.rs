//! The error type of the domain: a kind, a message for people, a hint, and data for programs.
//!
//! How a kind appears on the wire (JSON-RPC code, exit code) is a property of the kind. It is
//! declared in one table here, and the reference of error codes is generated from it.

use std::fmt;

use serde_json::{Map, Value, json};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Declares every kind once: its name on the wire, the JSON-RPC code that its contract fixes, the
/// exit code of the command line, and a sentence for the reference. Kinds that several toolsets
/// raise have the code of the knowledge contract here; the other toolsets translate it.
macro_rules! error_kinds {
    ($( $name:ident, $code:literal, $exit:literal, $doc:literal; )*) => {
        /// The kind of an error, which programs can match on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $( #[doc = $doc] $name, )*
        }

        impl ErrorKind {
            /// Every kind, in the order of the reference.
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];

            /// The name on the wire: `error_type`.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => stringify!($name), )* }
            }

            /// The kind with that name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// The JSON-RPC code of the contract that names the kind, otherwise that of the
            /// knowledge contract.
            pub const fn code(self) -> i32 {
                match self { $( Self::$name => $code, )* }
            }

            /// The exit code of the command line.
            pub const fn exit_code(self) -> u8 {
                match self { $( Self::$name => $exit, )* }
            }

            /// What the kind means. Printed in the reference.
            pub const fn doc(self) -> &'static str {
                match self { $( Self::$name => $doc, )* }
            }
        }
    };
}

impl ErrorKind {
    /// Whether the cause is in Windlass or on its machine, not in the request.
    pub const fn is_server_fault(self) -> bool {
        matches!(
            self,
            Self::StorageError
                | Self::InternalError
                | Self::RequestTimeout
                | Self::DatabaseTooNew
                | Self::InvalidConfig
                | Self::NotAProject
                | Self::UntrustedState
                | Self::StateLost
        )
    }
}

error_kinds! {
    EntityNotFound, -32001, 4, "No entity has that number, id or id prefix.";
    NameNotFound, -32003, 4, "No feature, discipline or recipe has that name.";
    SessionNotFound, -32003, 4, "No session has that id.";
    SessionEnded, -32003, 5, "The session has ended.";
    CommentNotFound, -32003, 4, "No comment has that number.";
    NoTask, -32003, 2, "The session is not bound to a task.";
    EntityTypeInvalid, -32002, 2, "The entity type is unknown.";
    ValidationFailed, -32003, 2, "A field has an invalid value.";
    TitleRequired, -32003, 2, "The title is missing, or empty after trimming.";
    TitleTooLong, -32003, 2, "The title has more than 500 characters.";
    ContentTooLarge, -32003, 2, "The content has more than 102,400 bytes.";
    InvalidEnumValue, -32003, 2, "The field does not allow this value.";
    InvalidDateFormat, -32003, 2, "The date is not a calendar date in the form YYYY-MM-DD.";
    InvalidUrl, -32003, 2, "The value is not a valid absolute URL.";
    AmbiguousId, -32003, 4, "The id prefix matches more than one entity; the error lists the candidates.";
    BatchTooLarge, -32003, 2, "The batch has more operations than the server accepts.";
    SelfReferentialRelation, -32003, 2, "An entity cannot be related to itself.";
    RelationNotAllowed, -32003, 2, "The relation type does not allow entities of these two types.";
    RelationCycle, -32003, 2, "The relation would make tasks wait for each other in a cycle.";
    RelationTargetNotFound, -32004, 4, "The entity that the relation points to does not exist.";
    RelationNotFound, -32004, 4, "The relation to remove does not exist.";
    PathNotFound, -32001, 4, "No path of relations connects the two entities.";
    MaxDepthExceeded, -32003, 2, "The search depth is greater than the server allows.";
    ResourceNotFound, -32005, 4, "The resource URI is well formed, but the resource does not exist.";
    InvalidResourceUri, -32006, 2, "The resource URI is not of a form that the server supports.";
    PromptNotFound, -32602, 4, "No prompt has that name.";
    TaskClaimed, -32003, 5, "Another session holds the task, and its lease has not expired.";
    HumanOnly, -32003, 6, "Only a person at a terminal may do this.";
    NotAllowlisted, -32010, 6, "No person has allowed the command, or its definition has changed since.";
    RunnerUnavailable, -32011, 10, "The program that runs the command is not installed.";
    TaskNotFound, -32012, 4, "The repository has no command with that name.";
    JobNotFound, -32012, 4, "No job has that PID, or its record was removed after it ended.";
    GrantNotFound, -32003, 4, "The allowlist has no such entry, so there is nothing to revoke.";
    TooManyJobs, -32603, 5, "The limit of running jobs is reached.";
    StartFailed, -32603, 10, "The operating system could not start the process.";
    JobUnreachable, -32603, 7, "The job's supervisor process does not respond.";
    ArgumentRefused, -32602, 2, "An argument would change which program runs, not only its input.";
    EnvironmentRefused, -32602, 2, "An environment variable would change which program runs, not only its input.";
    PathRefused, -32602, 2, "The path leads outside the project, or to another definition.";
    RunNotFound, -32000, 4, "No run has that id.";
    RunExists, -32000, 5, "A run with that id already exists.";
    AlreadyExecuted, -32000, 5, "The run has already been executed, or is running.";
    InvalidRunSpec, -32000, 2, "The run specification is invalid.";
    UnsupportedRuntime, -32000, 10, "The runtime is not configured here.";
    PlaybookNotFound, -32000, 4, "No playbook has that id.";
    ArtifactNotFound, -32000, 4, "The run has no such artifact.";
    NotUndoable, -32003, 5, "What the event records cannot be taken back.";
    UndoConflict, -32003, 5, "What is to be taken back has been changed since.";
    KeyReused, -32003, 5, "The idempotency key was used for another call.";
    CallUnderWay, -32003, 5, "A call with this idempotency key has begun, and its result is not known.";
    InvalidTransition, -32003, 5, "The action is not allowed in the current state.";
    TaskBlocked, -32003, 5, "The task is blocked by tasks that are not done.";
    ReviewNotFound, -32001, 4, "No review has that number or id.";
    GateNotFound, -32001, 4, "No gate has that number, id or name.";
    GateExists, -32003, 5, "The scope already has a gate with that name.";
    HelpNotFound, -32001, 4, "No help request has that number or id.";
    RepoNotFound, -32001, 4, "No repository has that number, id or path.";
    ReviewActive, -32003, 5, "This cannot change while a review is active.";
    ReviewRequired, -32003, 5, "Gates check the task, or it was submitted before: its review completes it.";
    CarriesGates, -32003, 6, "Only a person may remove what carries gates.";
    OwnReview, -32003, 5, "A session cannot approve its own work while another session could review it.";
    HelpOpen, -32003, 5, "The task is waiting for a person's answer to a help request.";
    NotAProject, -32010, 3, "No project was found in this folder or any parent folder.";
    DatabaseTooNew, -32010, 3, "A newer version of windlass wrote this database; it was not changed.";
    UntrustedState, -32010, 6, "This user did not make the state here: it can be read, but nothing is changed or run before a person trusts it.";
    StateLost, -32010, 7, "The project had a database, and it is gone.";
    InvalidConfig, -32010, 3, "A configuration file cannot be parsed, or has an invalid value.";
    StorageError, -32010, 7, "The project's database could not be read or written.";
    RequestTimeout, -32011, 8, "The request took longer than the server allows.";
    InternalError, -32011, 1, "A bug in windlass.";
    UnknownTool, -32602, 4, "The tool does not exist, or the session has no access to it.";
    InvalidParams, -32602, 2, "The arguments do not match the operation's schema.";
}

impl ErrorKind {
    /// The name in upper case, as results of a batch use it: `ENTITY_NOT_FOUND`.
    pub fn screaming_name(self) -> String {
        let mut out = String::new();
        for letter in self.name().chars() {
            if letter.is_ascii_uppercase() && !out.is_empty() {
                out.push('_');
            }
            out.push(letter.to_ascii_uppercase());
        }
        out
    }
}

/// An error of the domain. Its content is boxed, so that results stay small.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    data: Map<String, Value>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            hint: None,
            data: Map::new(),
        }))
    }

    /// What the reader can do about the error.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Changes the text of the hint.
    #[must_use]
    pub fn map_hint(mut self, change: impl FnOnce(&str) -> String) -> Self {
        self.0.hint = self.0.hint.as_deref().map(change);
        self
    }

    /// Adds a field to the data that programs read.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.data.insert(key.to_owned(), value.into());
        self
    }

    /// Shortens the message to `characters`, and each list in the data to `items`.
    #[must_use]
    pub fn shortened(mut self, characters: usize, items: usize) -> Self {
        if let Some((end, _)) = self.0.message.char_indices().nth(characters) {
            self.0.message.truncate(end);
            self.0.message.push('…');
        }
        for value in self.0.data.values_mut() {
            if let Value::Array(list) = value {
                list.truncate(items);
            }
        }
        self
    }

    /// The field of the input that is wrong.
    pub fn field(&self) -> Option<&str> {
        self.0.data.get("field").and_then(Value::as_str)
    }

    /// Names the wrong field as the caller does: in the data, and in front of the message.
    #[must_use]
    pub fn with_field_called(mut self, name: &str) -> Self {
        if let Some(known) = self.field() {
            let prefix = format!("{known}: ");
            if let Some(rest) = self.0.message.strip_prefix(&prefix) {
                self.0.message = format!("{name}: {rest}");
            }
        }
        self.with("field", name)
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The full message, including what it is about: `Entity 7f3a not found`.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The message of a JSON-RPC error. The knowledge contract fixes it for entities that are not
    /// found: the id is only in the data.
    pub fn wire_message(&self) -> &str {
        match self.0.kind {
            ErrorKind::EntityNotFound => "Entity not found",
            _ => &self.0.message,
        }
    }

    /// The message and the hint as one text, for readers who see only the message: most clients
    /// drop the data of an error.
    pub fn full_message(&self) -> String {
        self.joined(&self.0.message)
    }

    /// The same with the message of a JSON-RPC error.
    pub fn full_wire_message(&self) -> String {
        self.joined(self.wire_message())
    }

    fn joined(&self, message: &str) -> String {
        match &self.0.hint {
            Some(hint) if message.ends_with(['.', '!', '?', '…']) => format!("{message} {hint}"),
            Some(hint) => format!("{message}. {hint}"),
            None => message.to_owned(),
        }
    }

    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The data of a JSON-RPC error: `error_type` first, then the fields, then the hint.
    pub fn data(&self) -> Value {
        let mut data = Map::new();
        data.insert("error_type".into(), json!(self.0.kind.name()));
        data.extend(self.0.data.clone());
        if let Some(hint) = &self.0.hint {
            data.insert("hint".into(), json!(hint));
        }
        Value::Object(data)
    }

    // Constructors for kinds that are raised in more than one place.

    pub fn entity_not_found(id: &str) -> Self {
        Self::new(ErrorKind::EntityNotFound, format!("Entity {id} not found"))
            .with("id", id)
            .with_hint("Use [[entity_list]] or [[search_fulltext]] to find its number or id.")
    }

    pub fn validation(field: &str, message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::ValidationFailed, format!("{field}: {message}"))
            .with("field", field)
            .with("message", message.to_string())
    }

    pub fn invalid_enum(field: &str, value: &str, valid: &[&str]) -> Self {
        let mut hint = format!("Use one of: {}.", valid.join(", "));
        if let Some(near) = crate::nearest(value, valid.iter().copied()) {
            hint = format!("Did you mean \"{near}\"? {hint}");
        }
        Self::new(
            ErrorKind::InvalidEnumValue,
            format!("{field}: \"{value}\" is not allowed"),
        )
        .with("field", field)
        .with("value", value)
        .with("valid", json!(valid))
        .with_hint(hint)
    }

    pub fn relation_target_not_found(target: &str) -> Self {
        Self::new(
            ErrorKind::RelationTargetNotFound,
            format!("Relation target {target} not found"),
        )
        .with("target_id", target)
        .with_hint("Use [[entity_list]] or [[search_fulltext]] to find its number or id.")
    }

    pub fn run_not_found(run_id: &str) -> Self {
        Self::new(ErrorKind::RunNotFound, format!("Run {run_id} not found"))
            .with("runId", run_id)
            .with_hint("Use [[run_list]] to see the existing runs.")
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidParams, message)
    }

    pub fn storage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::StorageError, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InternalError, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        let mut names: Vec<_> = ErrorKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(ErrorKind::ALL.iter().all(|kind| kind.doc().ends_with('.')));
    }

    /// The error table of the knowledge contract.
    #[test]
    fn codes_match_the_knowledge_contract() {
        for (kind, code) in [
            (ErrorKind::EntityNotFound, -32001),
            (ErrorKind::EntityTypeInvalid, -32002),
            (ErrorKind::ValidationFailed, -32003),
            (ErrorKind::RelationTargetNotFound, -32004),
            (ErrorKind::ResourceNotFound, -32005),
            (ErrorKind::InvalidResourceUri, -32006),
            (ErrorKind::StorageError, -32010),
            (ErrorKind::InternalError, -32011),
            (ErrorKind::InvalidParams, -32602),
        ] {
            assert_eq!(kind.code(), code, "{}", kind.name());
        }
    }

    #[test]
    fn data_starts_with_the_error_type() {
        let error = Error::entity_not_found("nonexistent-id");
        assert_eq!(error.wire_message(), "Entity not found");
        assert_eq!(error.message(), "Entity nonexistent-id not found");
        let data = error.data();
        assert_eq!(data["error_type"], "EntityNotFound");
        assert_eq!(data["id"], "nonexistent-id");
    }

    #[test]
    fn the_hint_follows_the_message() {
        let error = Error::entity_not_found("9").with_hint("Look.");
        assert_eq!(error.full_message(), "Entity 9 not found. Look.");
        assert_eq!(error.full_wire_message(), "Entity not found. Look.");
        let error = Error::internal("It broke.").with_hint("Look.");
        assert_eq!(error.full_message(), "It broke. Look.");
        assert_eq!(Error::internal("It broke").full_message(), "It broke");
        let error = error.map_hint(str::to_uppercase);
        assert_eq!(error.hint(), Some("LOOK."));
    }

    #[test]
    fn batch_results_use_the_name_in_upper_case() {
        assert_eq!(
            ErrorKind::EntityNotFound.screaming_name(),
            "ENTITY_NOT_FOUND"
        );
    }
}
