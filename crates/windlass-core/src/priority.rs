//! How urgent a task is.

/// Ordered: urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    Urgent,
    High,
    Normal,
    Low,
}

impl Priority {
    pub const ALL: [Self; 4] = [Self::Urgent, Self::High, Self::Normal, Self::Low];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }

    /// 0 is the most urgent. The store sorts by it.
    pub const fn number(self) -> i64 {
        self as i64
    }

    pub fn from_number(number: i64) -> Option<Self> {
        usize::try_from(number)
            .ok()
            .and_then(|at| Self::ALL.get(at).copied())
    }

    /// Accepts the words of every dialect, and the numbers as text.
    pub fn parse_any(text: &str) -> Option<Self> {
        match text {
            "urgent" | "critical" => Some(Self::Urgent),
            "high" => Some(Self::High),
            "normal" | "medium" => Some(Self::Normal),
            "low" => Some(Self::Low),
            digits => digits.parse().ok().and_then(Self::from_number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_every_dialect_are_accepted() {
        for (word, priority) in [
            ("urgent", Priority::Urgent),
            ("critical", Priority::Urgent),
            ("0", Priority::Urgent),
            ("high", Priority::High),
            ("medium", Priority::Normal),
            ("normal", Priority::Normal),
            ("2", Priority::Normal),
            ("low", Priority::Low),
            ("3", Priority::Low),
        ] {
            assert_eq!(Priority::parse_any(word), Some(priority), "{word}");
        }
        for unknown in ["", "asap", "4", "-1", "HIGH"] {
            assert_eq!(Priority::parse_any(unknown), None, "{unknown}");
        }
    }
}
