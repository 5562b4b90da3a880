//! Draws the columns of the samples as small charts, one below the other.

use std::fmt::Write as _;

use super::sample::Sample;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 90.0;
const LEFT: f64 = 10.0;
const ROW: f64 = 130.0;

/// A picture in SVG. The first column is the time.
pub fn draw(columns: &[&str], samples: &[Sample]) -> String {
    let mut top = 0.0;
    let mut body = String::new();
    let end = samples.last().map_or(1.0, |last| last.0[0]).max(1.0);
    for (at, name) in columns.iter().enumerate().skip(1) {
        chart(&mut body, top, name, at, samples, end);
        top += ROW;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{top}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n",
        WIDTH + 2.0 * LEFT
    )
}

fn chart(body: &mut String, top: f64, name: &str, at: usize, samples: &[Sample], end: f64) {
    let value = |sample: &Sample| sample.0.get(at).copied().unwrap_or(0.0);
    let most = samples.iter().map(value).fold(0.0, f64::max);
    let last = samples.last().map_or(0.0, value);
    let points: Vec<String> = samples
        .iter()
        .map(|sample| {
            let x = LEFT + sample.0[0] / end * WIDTH;
            let y = top + 25.0 + HEIGHT - value(sample) / most.max(1.0) * HEIGHT;
            format!("{x:.1},{y:.1}")
        })
        .collect();
    let (base, line) = (top + 25.0 + HEIGHT, points.join(" "));
    let _ = writeln!(
        body,
        "<text x=\"{LEFT}\" y=\"{}\">{name}: {most} at most, {last} at {end} min</text>\n\
         <line x1=\"{LEFT}\" y1=\"{base}\" x2=\"{}\" y2=\"{base}\" stroke=\"#bbb\"/>\n\
         <polyline points=\"{line}\" fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"1.5\"/>",
        top + 17.0,
        LEFT + WIDTH
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_has_a_line_through_its_values() {
        let samples = [Sample(vec![0.0, 5.0]), Sample(vec![2.0, 10.0])];
        let picture = draw(&["minute", "memory"], &samples);
        assert!(
            picture.contains("memory: 10 at most, 10 at 2 min"),
            "{picture}"
        );
        assert!(
            picture.contains("points=\"10.0,70.0 910.0,25.0\""),
            "{picture}"
        );
    }
}
