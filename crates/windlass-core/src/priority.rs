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

    /// Every dialect's words, and the numbers as text.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "urgent" | "critical" => Some(Self::Urgent),
            "high" => Some(Self::High),
            "normal" | "medium" => Some(Self::Normal),
            "low" => Some(Self::Low),
            digits => digits.parse().ok().and_then(Self::from_number),
        }
    }
}
