//! The one error of the domain: a kind, a message for a person, a hint, and data for a program.
//!
//! How a kind looks on a wire (a JSON-RPC code, an exit code) is a property of the kind, kept in
//! one table here so that the reference of error codes can be generated from it.

use std::fmt;

use serde_json::{Map, Value, json};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Declares every kind once: its name on the wire, the JSON-RPC code that its seed fixes, the exit
/// code of the command line, and a sentence for the reference. Kinds that several toolsets raise
/// have the code of the knowledge toolset here; the others translate.
macro_rules! error_kinds {
    ($( $name:ident, $code:literal, $exit:literal, $doc:literal; )*) => {
        /// What went wrong, as a program tells it apart.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $( #[doc = $doc] $name, )*
        }

        impl ErrorKind {
            /// Every kind, in the order of the reference.
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];

            /// The name that answers carry as `error_type`.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => stringify!($name), )* }
            }

            /// The kind of that name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// The JSON-RPC code of the seed that names the kind, else of the knowledge toolset.
            pub const fn code(self) -> i32 {
                match self { $( Self::$name => $code, )* }
            }

            /// The exit code of the command line.
            pub const fn exit_code(self) -> u8 {
                match self { $( Self::$name => $exit, )* }
            }

            /// What the kind means, for the reference.
            pub const fn doc(self) -> &'static str {
                match self { $( Self::$name => $doc, )* }
            }
        }
    };
}

impl ErrorKind {
    /// Whether the cause lies with Windlass or its machine rather than with the request.
    pub const fn is_server_fault(self) -> bool {
        matches!(
            self,
            Self::StorageError
                | Self::InternalError
                | Self::RequestTimeout
                | Self::DatabaseTooNew
                | Self::InvalidConfig
                | Self::NotAProject
        )
    }
}

error_kinds! {
    EntityNotFound, -32001, 4, "No entity has that number, id or id prefix.";
    NameNotFound, -32003, 4, "No feature, discipline or recipe has that name.";
    SessionNotFound, -32003, 4, "No session has that id.";
    SessionEnded, -32003, 5, "The session has ended.";
    CommentNotFound, -32003, 4, "There is no comment of that number.";
    NoTask, -32003, 2, "The session is bound to no task.";
    EntityTypeInvalid, -32002, 2, "The entity type is not one of those that exist.";
    ValidationFailed, -32003, 2, "A field breaks one of its rules.";
    TitleRequired, -32003, 2, "The title is missing, or empty after trimming.";
    TitleTooLong, -32003, 2, "The title has more than 500 characters.";
    ContentTooLarge, -32003, 2, "The content has more than 102,400 bytes.";
    InvalidEnumValue, -32003, 2, "The value is not one of those that the field allows.";
    InvalidDateFormat, -32003, 2, "The date is not a calendar date of the form YYYY-MM-DD.";
    InvalidUrl, -32003, 2, "The value is not a valid absolute URL.";
    AmbiguousId, -32003, 4, "The id prefix fits more than one entity; the candidates are listed.";
    BatchTooLarge, -32003, 2, "The batch has more operations than the server takes at once.";
    SelfReferentialRelation, -32003, 2, "An entity cannot be related to itself.";
    RelationNotAllowed, -32003, 2, "The relation type does not join entities of these two types.";
    RelationCycle, -32003, 2, "The relation would make tasks wait for each other in a circle.";
    RelationTargetNotFound, -32004, 4, "The entity that the relation points to does not exist.";
    RelationNotFound, -32004, 4, "There is no such relation to remove.";
    PathNotFound, -32001, 4, "No chain of relations joins the two entities.";
    MaxDepthExceeded, -32003, 2, "The search depth is beyond what the server takes.";
    ResourceNotFound, -32005, 4, "The resource URI is well formed, but nothing is there.";
    InvalidResourceUri, -32006, 2, "The resource URI is not one that the server knows.";
    PromptNotFound, -32602, 4, "No prompt has that name.";
    TaskClaimed, -32003, 5, "Another session holds the task, and its lease still runs.";
    HumanOnly, -32003, 6, "Only a person at a terminal may do this.";
    NotAllowlisted, -32010, 6, "A person has not allowed the command, or not as it stands now.";
    RunnerUnavailable, -32011, 10, "The program that runs the command is not installed.";
    TaskNotFound, -32012, 4, "The repository has no command of that name.";
    JobNotFound, -32012, 4, "No job has that PID, or it was forgotten since it ended.";
    GrantNotFound, -32003, 4, "The allowlist says nothing about it, so there is nothing to take back.";
    TooManyJobs, -32603, 5, "As many jobs are running as the server allows.";
    StartFailed, -32603, 10, "The system refused to start the process.";
    JobUnreachable, -32603, 7, "The process that looks after the job does not answer.";
    ArgumentRefused, -32602, 2, "An argument would change what is run, not what it works on.";
    EnvironmentRefused, -32602, 2, "A variable would change what is run, not what it works on.";
    PathRefused, -32602, 2, "The path leads out of the project, or to another definition.";
    RunNotFound, -32000, 4, "No run has that id.";
    RunExists, -32000, 5, "A run of that id exists already.";
    AlreadyExecuted, -32000, 5, "The run has been executed, or is being executed.";
    InvalidRunSpec, -32000, 2, "The specification of a run breaks a rule.";
    UnsupportedRuntime, -32000, 10, "The runtime is not set up here.";
    PlaybookNotFound, -32000, 4, "No playbook has that id.";
    ArtifactNotFound, -32000, 4, "The run has no such artifact.";
    InvalidTransition, -32003, 5, "What is asked for is not possible from where the thing stands.";
    TaskBlocked, -32003, 5, "The task waits for others that are not done.";
    ReviewNotFound, -32001, 4, "No review has that number or id.";
    GateNotFound, -32001, 4, "No gate has that number, id or name.";
    GateExists, -32003, 5, "The scope has a gate of that name already.";
    HelpNotFound, -32001, 4, "No help request has that number or id.";
    RepoNotFound, -32001, 4, "No repository has that number, id or path.";
    ReviewActive, -32003, 5, "A review is under way, and until its end this cannot change.";
    OwnReview, -32003, 5, "A session cannot approve its own work where another one could.";
    HelpOpen, -32003, 5, "The task waits for a person's answer.";
    NotAProject, -32010, 3, "No project was found here or in any folder above.";
    DatabaseTooNew, -32010, 3, "A newer windlass wrote this database; it is left untouched.";
    InvalidConfig, -32010, 3, "A file of settings does not parse, or holds a wrong value.";
    StorageError, -32010, 7, "The project's database could not be read or written.";
    RequestTimeout, -32011, 8, "The request took longer than the server allows.";
    InternalError, -32011, 1, "A fault of windlass itself.";
    UnknownTool, -32602, 4, "There is no such tool, or the session does not have it.";
    InvalidParams, -32602, 2, "The arguments do not fit the operation.";
}

impl ErrorKind {
    /// The name in capitals, as the results of a batch carry it: `ENTITY_NOT_FOUND`.
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

/// An error of the domain. Boxed inside, so that results stay small.
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

    /// What the reader can do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// One field of the data that programs read.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.data.insert(key.to_owned(), value.into());
        self
    }

    /// With at most so many characters of its message, and so many items of each list of its data.
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

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The whole message, naming what it is about: `Entity 7f3a not found`.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The message of a JSON-RPC error. Seed 004 fixes it for entities that are not found, where
    /// the id travels in the data alone.
    pub fn wire_message(&self) -> &str {
        match self.0.kind {
            ErrorKind::EntityNotFound => "Entity not found",
            _ => &self.0.message,
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
            .with_hint("Use entity_list or search_fulltext to find its number or id.")
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
        .with_hint("Use entity_list or search_fulltext to find its number or id.")
    }

    pub fn run_not_found(run_id: &str) -> Self {
        Self::new(ErrorKind::RunNotFound, format!("Run {run_id} not found"))
            .with("runId", run_id)
            .with_hint("run_list shows the runs there are.")
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

    /// The table of seed 004, to the letter.
    #[test]
    fn codes_of_the_seed() {
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
    fn data_starts_with_the_type() {
        let error = Error::entity_not_found("nonexistent-id");
        assert_eq!(error.wire_message(), "Entity not found");
        assert_eq!(error.message(), "Entity nonexistent-id not found");
        let data = error.data();
        assert_eq!(data["error_type"], "EntityNotFound");
        assert_eq!(data["id"], "nonexistent-id");
    }

    #[test]
    fn batch_name() {
        assert_eq!(
            ErrorKind::EntityNotFound.screaming_name(),
            "ENTITY_NOT_FOUND"
        );
    }
}
