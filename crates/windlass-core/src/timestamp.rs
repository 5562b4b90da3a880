//! Points in time and dates, in the text forms that every surface uses.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// A point in time in UTC, to the millisecond: `2026-01-30T12:00:00.000Z`. The text sorts by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(String);

impl Timestamp {
    pub fn now() -> Self {
        Self::from_millis(jiff::Timestamp::now().as_millisecond())
    }

    pub fn from_millis(millis: i64) -> Self {
        let moment =
            jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self(format!("{moment:.3}"))
    }

    /// A point in time as other tools write it: with an offset, without one (then UTC), with spaces,
    /// or only a date.
    pub fn parse_foreign(text: &str) -> Option<Self> {
        // Go prints a monotonic reading and the name of the zone behind the offset.
        let text = text.trim();
        let text = text.split(" m=").next().unwrap_or(text);
        let mut words = text.split(' ');
        let (date, time, offset) = (words.next()?, words.next(), words.next());
        let joined = match (time, offset) {
            (Some(time), Some(offset)) if offset.starts_with(['+', '-']) => {
                format!("{date}T{time}{offset}")
            }
            (Some(time), _) => format!("{date}T{time}"),
            (None, _) => date.to_owned(),
        };
        let moment = joined.parse::<jiff::Timestamp>().ok().or_else(|| {
            let civil: jiff::civil::DateTime = joined.parse().ok()?;
            Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
        })?;
        Some(Self::from_millis(moment.as_millisecond()))
    }

    /// Milliseconds since 1970; zero for text that is not a timestamp.
    pub fn as_millis(&self) -> i64 {
        self.0
            .parse::<jiff::Timestamp>()
            .map_or(0, jiff::Timestamp::as_millisecond)
    }

    /// For text from the store, which was written with [`Timestamp::now`].
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same without fractions of a second, as outputs show it: `2026-11-16T22:30:00Z`.
    pub fn to_seconds(&self) -> String {
        match self.0.split_once('.') {
            Some((whole, _)) => format!("{whole}Z"),
            None => self.0.clone(),
        }
    }

    /// The date in UTC.
    pub fn day(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A calendar date: `2026-02-01`. The text sorts by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Date(String);

impl Date {
    /// Accepts exactly `YYYY-MM-DD`, and only dates that exist.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        let shape = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if shape && text.parse::<jiff::civil::Date>().is_ok() {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::new(
            ErrorKind::InvalidDateFormat,
            format!("{field}: \"{text}\" is not a date"),
        )
        .with("field", field)
        .with("value", text)
        .with_hint("Write the date as YYYY-MM-DD, for example 2026-02-01."))
    }

    /// Today's date in the local time zone.
    pub fn today() -> Self {
        Self(jiff::Zoned::now().date().to_string())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_have_milliseconds_and_sort() {
        let early = Timestamp::from_millis(1_738_238_400_000);
        assert_eq!(early.as_str(), "2025-01-30T12:00:00.000Z");
        assert_eq!(early.as_millis(), 1_738_238_400_000);
        assert!(early < Timestamp::from_millis(1_738_238_400_001));
        assert_eq!(early.day(), "2025-01-30");
    }

    #[test]
    fn times_of_other_tools_are_read() {
        for (text, expected) in [
            (
                "2026-02-01T18:50:15.222103+00:00",
                "2026-02-01T18:50:15.222Z",
            ),
            ("2026-06-12T12:08:46-07:00", "2026-06-12T19:08:46.000Z"),
            ("2026-11-18 03:06", "2026-11-18T03:06:00.000Z"),
            ("2026-11-18 03:06:07", "2026-11-18T03:06:07.000Z"),
            ("2026-11-18", "2026-11-18T00:00:00.000Z"),
            (
                "2025-10-16 21:51:08.913972 -0700 PDT m=+0.05",
                "2025-10-17T04:51:08.913Z",
            ),
            ("2025-10-16 21:51:08.9-07:00", "2025-10-17T04:51:08.900Z"),
        ] {
            let parsed = Timestamp::parse_foreign(text);
            assert_eq!(parsed.as_ref().map(Timestamp::as_str), Some(expected));
        }
        for bad in ["", "yesterday", "2026-13-01", "12:00"] {
            assert_eq!(Timestamp::parse_foreign(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_existing_dates_are_accepted() {
        for good in ["2025-02-01", "2024-02-29", "0001-01-01"] {
            assert!(Date::parse("due_date", good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "2025-2-1",
            "2025-02-30",
            "2023-02-29",
            "01-02-2025",
            "2025-02-01T00:00:00Z",
            "tomorrow",
            "2025/02/01",
            " 2025-02-01",
            "２０２５-02-01",
        ] {
            let error = Date::parse("due_date", bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidDateFormat, "{bad}");
            assert_eq!(error.data()["field"], "due_date");
        }
    }
}
