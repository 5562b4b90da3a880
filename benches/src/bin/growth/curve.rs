//! One measured value over the size of a project.

use std::fmt::Write as _;

/// What a value is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Seconds,
    Bytes,
}

impl Unit {
    /// The value as a person reads it.
    pub fn show(self, value: f64) -> String {
        let (units, step) = match self {
            Self::Seconds => (["µs", "ms", "s"], 1_000.0),
            Self::Bytes => (["B", "kB", "MB"], 1_000.0),
        };
        let mut value = match self {
            Self::Seconds => value * 1e6,
            Self::Bytes => value,
        };
        let mut at = 0;
        while value >= step && at + 1 < units.len() {
            value /= step;
            at += 1;
        }
        let digits = if value < 10.0 {
            2
        } else {
            usize::from(value < 100.0)
        };
        format!("{value:.digits$} {}", units[at])
    }
}

/// How one value grows.
#[derive(Debug, Clone)]
pub struct Curve {
    pub name: &'static str,
    pub unit: Unit,
    /// The most that the value at the last size may be of that at the first; none if it has to grow.
    pub limit: Option<f64>,
    /// The sizes, and the value at each.
    pub points: Vec<(usize, f64)>,
    /// The median of the rounds, which a disturbed round does not move, or the quotient of the values.
    pub ratio: f64,
}

impl Curve {
    /// A curve of values that were measured once.
    pub fn of(
        name: &'static str,
        unit: Unit,
        limit: Option<f64>,
        points: Vec<(usize, f64)>,
    ) -> Self {
        let value = |point: Option<&(usize, f64)>| point.map_or(f64::NAN, |it| it.1);
        let ratio = value(points.last()) / value(points.first());
        Self {
            name,
            unit,
            limit,
            points,
            ratio,
        }
    }

    pub fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.ratio > limit)
    }

    pub fn verdict(&self) -> &'static str {
        match self.limit {
            None => "",
            Some(_) if self.is_over() => "OVER",
            Some(_) => "ok",
        }
    }
}

/// Curves over the same sizes as a Markdown table.
pub fn table(title: &str, curves: &[Curve]) -> String {
    let Some(first) = curves.first() else {
        return String::new();
    };
    let mut out = format!("| {title} |");
    for (size, _) in &first.points {
        let _ = write!(out, " {} |", grouped(*size));
    }
    out += " ratio | limit | |\n|---|";
    out += &"---:|".repeat(first.points.len() + 2);
    out += "---|\n";
    for curve in curves {
        let _ = write!(out, "| {} |", curve.name);
        for (_, value) in &curve.points {
            let _ = write!(out, " {} |", curve.unit.show(*value));
        }
        let limit = curve.limit.map_or("–".to_owned(), |it| format!("{it:.2}"));
        let _ = writeln!(out, " {:.2} | {limit} | {} |", curve.ratio, curve.verdict());
    }
    out + "\n"
}

/// A number with commas.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_what_is_over() {
        let points = |last| vec![(10, 0.001), (1_000_000, last)];
        let curves = [
            Curve::of("flat", Unit::Seconds, Some(1.5), points(0.0012)),
            Curve::of("steep", Unit::Seconds, Some(1.5), points(0.0451)),
            Curve::of(
                "size",
                Unit::Bytes,
                None,
                vec![(10, 999.0), (1_000_000, 2_500_000.0)],
            ),
        ];
        let expected = "\
            | calls | 10 | 1,000,000 | ratio | limit | |\n\
            |---|---:|---:|---:|---:|---|\n\
            | flat | 1.00 ms | 1.20 ms | 1.20 | 1.50 | ok |\n\
            | steep | 1.00 ms | 45.1 ms | 45.10 | 1.50 | OVER |\n\
            | size | 999 B | 2.50 MB | 2502.50 | – |  |\n\n";
        assert_eq!(table("calls", &curves), expected);
    }
}
