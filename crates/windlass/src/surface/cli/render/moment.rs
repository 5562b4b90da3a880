//! Timestamps for people: how long ago, and the local time.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// `3 min ago`, `in 2 h`; the date if it is more than a month away. Text that is not a timestamp
/// is returned unchanged.
pub fn relative(text: &str, now: Timestamp) -> String {
    let Ok(at) = text.parse::<Timestamp>() else {
        return text.to_owned();
    };
    let seconds = now.as_second() - at.as_second();
    let distance = match seconds.abs() {
        ..10 => return "just now".to_owned(),
        away @ 10..MINUTE => format!("{away} s"),
        away @ MINUTE..HOUR => format!("{} min", away / MINUTE),
        away @ HOUR..DAY => format!("{} h", away / HOUR),
        away if away < 2 * DAY => "1 day".to_owned(),
        away if away < 31 * DAY => format!("{} days", away / DAY),
        _ => return local(at).strftime("%Y-%m-%d").to_string(),
    };
    if seconds < 0 {
        format!("in {distance}")
    } else {
        format!("{distance} ago")
    }
}

/// `2026-11-16 20:58 (3 min ago)`.
pub fn full(text: &str, now: Timestamp) -> String {
    let Ok(at) = text.parse::<Timestamp>() else {
        return text.to_owned();
    };
    let time = local(at).strftime("%Y-%m-%d %H:%M");
    let distance = relative(text, now);
    if distance.ends_with(" ago") || distance.starts_with("in ") || distance == "just now" {
        return format!("{time} ({distance})");
    }
    time.to_string()
}

fn local(at: Timestamp) -> Zoned {
    at.to_zoned(TimeZone::system())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        for (at, expected) in [
            ("2026-11-16T12:00:00.000Z", "just now"),
            ("2026-11-16T11:59:30.000Z", "30 s ago"),
            ("2026-11-16T11:57:00.000Z", "3 min ago"),
            ("2026-11-16T12:29:10.000Z", "in 29 min"),
            ("2026-11-16T07:59:00.000Z", "4 h ago"),
            ("2026-11-15T11:59:00.000Z", "1 day ago"),
            ("2026-11-01T11:59:00.000Z", "15 days ago"),
            ("soon", "soon"),
        ] {
            assert_eq!(relative(at, now), expected);
        }
        assert!(relative("2025-11-01T11:59:00.000Z", now).starts_with("2025-11-0"));
        assert!(full("2026-11-16T11:57:00.000Z", now).ends_with(" (3 min ago)"));
    }
}
