//! The moment of a release, in the forms that archives and documents need.

/// Parts of a moment in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    year: u64,
    month: u64,
    day: u64,
    second_of_day: u64,
}

impl Moment {
    /// From seconds since 1970.
    pub fn new(seconds: u64) -> Self {
        // Years begin in March here, so that a leap day is the last day of its year.
        let days = seconds / 86_400 + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        Self {
            year: era * 400 + year_of_era + u64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted + 2) / 5 + 1,
            second_of_day: seconds % 86_400,
        }
    }

    /// As in RFC 3339.
    pub fn rfc3339(self) -> String {
        let (hours, minutes, seconds) = self.clock();
        let date = self.date();
        format!("{date}T{hours:02}:{minutes:02}:{seconds:02}Z")
    }

    pub fn date(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// Date and time as in zip archives, which begin in 1980.
    pub fn dos(self) -> (u16, u16) {
        let (hours, minutes, seconds) = self.clock();
        let date = (self.year.saturating_sub(1980) << 9) | (self.month << 5) | self.day;
        let time = (hours << 11) | (minutes << 5) | (seconds / 2);
        let short = |number: u64| u16::try_from(number).unwrap_or(0);
        (short(date), short(time))
    }

    fn clock(self) -> (u64, u64, u64) {
        let seconds = self.second_of_day;
        (seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_018_220, "2026-11-18T16:10:20Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(Moment::new(seconds).rfc3339(), expected);
        }
        assert_eq!(Moment::new(1_795_018_220).dos(), (0x5d72, 0x814a));
    }
}
