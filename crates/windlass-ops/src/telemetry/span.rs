//! One finished span, and what may be in it: ids, names, codes and times.

use std::borrow::Cow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_core::{Origin, Timestamp};

use super::ids::{SpanContext, SpanId};

/// Longer names and ids than this are none of ours.
const LONGEST: usize = 128;

/// Nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nanoseconds(pub u64);

impl Nanoseconds {
    pub fn now() -> Self {
        Self::of(SystemTime::now())
    }

    pub fn of(moment: SystemTime) -> Self {
        let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }

    pub fn after(self, took: Duration) -> Self {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(took))
    }
}

impl From<&Timestamp> for Nanoseconds {
    fn from(moment: &Timestamp) -> Self {
        let millis = u64::try_from(moment.as_millis()).unwrap_or(0);
        Self(millis.saturating_mul(1_000_000))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// A part of something that began here.
    Internal,
    /// Somebody outside asked for it.
    Server,
}

#[derive(Debug, Clone)]
pub struct Span {
    pub context: SpanContext,
    pub parent: Option<SpanId>,
    pub name: Cow<'static, str>,
    pub kind: SpanKind,
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub failed: bool,
    pub attributes: Attributes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(Cow<'static, str>),
    Number(i64),
}

/// The attributes of a span or of this process, in order. Whatever another program or an agent chose
/// goes through [`Attributes::id`] or [`Attributes::name`].
#[derive(Debug, Clone, Default)]
pub struct Attributes(pub Vec<(&'static str, Value)>);

impl Attributes {
    /// The attributes that say who asked.
    pub fn of(origin: &Origin) -> Self {
        let own = Self::default()
            .word("windlass.surface", origin.source)
            .word("windlass.actor", origin.actor.name())
            .id("windlass.session", &origin.session);
        match &origin.correlation_id {
            Some(id) => own.id("windlass.correlation_id", id),
            None => own,
        }
    }

    /// A word of our own.
    #[must_use]
    pub fn word(mut self, key: &'static str, word: &'static str) -> Self {
        self.0.push((key, Value::Text(Cow::Borrowed(word))));
        self
    }

    /// An id. Whoever chose it may have written a sentence instead, which is left out.
    #[must_use]
    pub fn id(mut self, key: &'static str, id: &str) -> Self {
        let is_id =
            !id.is_empty() && id.len() <= LONGEST && id.bytes().all(|it| it.is_ascii_graphic());
        if is_id {
            self.0.push((key, Value::Text(Cow::Owned(id.to_owned()))));
        }
        self
    }

    /// The name of a command, a gate or a playbook.
    #[must_use]
    pub fn name(mut self, key: &'static str, name: &str) -> Self {
        self.0.push((key, Value::Text(Cow::Owned(shortened(name)))));
        self
    }

    #[must_use]
    pub fn number(mut self, key: &'static str, number: impl Into<i64>) -> Self {
        self.0.push((key, Value::Number(number.into())));
        self
    }

    #[must_use]
    pub fn number_if(self, key: &'static str, number: Option<impl Into<i64>>) -> Self {
        match number {
            Some(number) => self.number(key, number),
            None => self,
        }
    }

    /// What it failed of.
    #[must_use]
    pub fn error(self, kind: Option<&'static str>) -> Self {
        match kind {
            Some(kind) => self.word("error.type", kind),
            None => self,
        }
    }
}

/// A name in one line of bounded length.
pub fn shortened(name: &str) -> String {
    let shown = name.chars().filter(|it| !it.is_control());
    shown.take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use windlass_core::Actor;

    use super::*;

    #[test]
    fn a_sentence_is_no_id() {
        let origin = |session: &str| Origin {
            actor: Actor::Agent,
            source: "mcp",
            session: session.to_owned(),
            correlation_id: Some("say it".to_owned()),
        };
        let keys = |of: &Origin| -> Vec<&str> {
            let attributes = Attributes::of(of).0;
            attributes.into_iter().map(|(key, _)| key).collect()
        };
        let who = ["windlass.surface", "windlass.actor"];
        let all = [who[0], who[1], "windlass.session"];
        assert_eq!(keys(&origin("mcp-0123456789ab")), all);
        assert_eq!(keys(&origin("the password is")), who);
        assert_eq!(keys(&origin(&"x".repeat(129))), who);
    }

    #[test]
    fn a_name_is_one_short_line() {
        assert_eq!(shortened("build\nall\u{1b}[2J"), "buildall[2J");
        assert_eq!(shortened(&"ü".repeat(200)), "ü".repeat(128));
    }

    #[test]
    fn times_are_nanoseconds() {
        let moment = Nanoseconds::from(&Timestamp::from_millis(1_700_000_000_123));
        assert_eq!(moment.0, 1_700_000_000_123_000_000);
        assert_eq!(moment.after(Duration::from_micros(5)).0, moment.0 + 5_000);
    }
}
