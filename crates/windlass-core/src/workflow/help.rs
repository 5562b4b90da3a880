//! Help requests: an agent asks, a person answers, and work on the task continues.

use super::{invalid_transition, require_person};
use crate::{Actor, Error, Result};

/// How many options a request may suggest.
pub const MAX_OPTIONS: usize = 10;
const MAX_REASON_BYTES: usize = 10 * 1024;
const MAX_OPTION_BYTES: usize = 1024;

/// Declares an enum whose variants have a text form.
macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $( $name:ident = $text:literal, )* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $type { $( $name, )* }

        impl $type {
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];
            pub const NAMES: &'static [&'static str] = &[$( $text, )*];

            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => $text, )* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.name() == text)
            }
        }
    };
}

words! {
    /// Why help is needed.
    HelpCategory {
        Clarification = "clarification",
        Decision = "decision",
        TechnicalBlocker = "technical_blocker",
        Unexpected = "unexpected",
    }
}

words! {
    /// The state of a help request.
    HelpStatus {
        Pending = "pending",
        Responded = "responded",
        Resolved = "resolved",
        Cancelled = "cancelled",
    }
}

/// A help request to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHelp {
    pub category: HelpCategory,
    pub reason: String,
    pub suggested_options: Vec<String>,
}

impl NewHelp {
    pub fn check(&self) -> Result<()> {
        if self.reason.trim().is_empty() || self.reason.len() > MAX_REASON_BYTES {
            return Err(Error::validation(
                "reason",
                format!("must have 1 to {MAX_REASON_BYTES} bytes"),
            ));
        }
        let options = &self.suggested_options;
        let fits = |option: &String| !option.trim().is_empty() && option.len() <= MAX_OPTION_BYTES;
        if options.len() > MAX_OPTIONS || !options.iter().all(fits) {
            return Err(Error::validation(
                "suggested_options",
                format!("at most {MAX_OPTIONS}, each of 1 to {MAX_OPTION_BYTES} bytes"),
            ));
        }
        Ok(())
    }
}

impl HelpStatus {
    /// Whether the task is still waiting. A task has at most one active request.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Pending | Self::Responded)
    }

    const fn possible(self) -> &'static [&'static str] {
        match self {
            Self::Pending => &["help.respond (a person)", "cancel"],
            Self::Responded => &[
                "help.respond (a person)",
                "help.resume (a person)",
                "cancel",
            ],
            Self::Resolved | Self::Cancelled => &[],
        }
    }

    /// A person answers. The answer can be replaced as long as the task waits.
    pub fn respond(self, what: &str, actor: Actor) -> Result<Self> {
        if !self.is_active() {
            let possible = self.possible();
            return Err(invalid_transition(
                what,
                self.name(),
                "help.respond",
                possible,
            ));
        }
        require_person("help.respond", actor)?;
        Ok(Self::Responded)
    }

    /// A person lets the task continue, once there is an answer.
    pub fn resume(self, what: &str, actor: Actor) -> Result<Self> {
        if self != Self::Responded {
            let possible = self.possible();
            return Err(invalid_transition(
                what,
                self.name(),
                "help.resume",
                possible,
            ));
        }
        require_person("help.resume", actor)?;
        Ok(Self::Resolved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn every_status_and_action() {
        use HelpStatus as S;
        for (from, responded, resumed) in [
            (
                S::Pending,
                Ok(S::Responded),
                Err(ErrorKind::InvalidTransition),
            ),
            (S::Responded, Ok(S::Responded), Ok(S::Resolved)),
            (
                S::Resolved,
                Err(ErrorKind::InvalidTransition),
                Err(ErrorKind::InvalidTransition),
            ),
            (
                S::Cancelled,
                Err(ErrorKind::InvalidTransition),
                Err(ErrorKind::InvalidTransition),
            ),
        ] {
            let kind = |result: Result<S>| result.map_err(|error| error.kind());
            assert_eq!(kind(from.respond("h", Actor::Human)), responded);
            assert_eq!(kind(from.resume("h", Actor::Human)), resumed);
            let for_agents = |result: Result<S, ErrorKind>| match result {
                Ok(_) => Err(ErrorKind::HumanOnly),
                refused => refused,
            };
            assert_eq!(kind(from.respond("h", Actor::Agent)), for_agents(responded));
            assert_eq!(kind(from.resume("h", Actor::Agent)), for_agents(resumed));
        }
    }

    #[test]
    fn reason_and_options_are_limited() {
        let ask = |reason: &str, options: &[&str]| {
            NewHelp {
                category: HelpCategory::Decision,
                reason: reason.into(),
                suggested_options: options.iter().map(ToString::to_string).collect(),
            }
            .check()
            .is_ok()
        };
        assert!(ask("why?", &["a"; 10]));
        assert!(!ask("why?", &["a"; 11]));
        assert!(!ask("why?", &[" "]));
        assert!(!ask("  ", &[]));
        assert!(ask(&"a".repeat(10_240), &[]));
        assert!(!ask(&"a".repeat(10_241), &[]));
    }
}
