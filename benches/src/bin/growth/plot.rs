//! Draws curves as small charts beside each other, over the logarithm of the size.

use std::fmt::Write as _;

use crate::curve::{Curve, grouped};

const COLUMNS: usize = 3;
const WIDTH: f64 = 270.0;
const HEIGHT: f64 = 80.0;
const MARGIN: f64 = 20.0;
/// Above each chart, for its name.
const TITLE: f64 = 40.0;
/// Below each chart, for the sizes.
const SIZES: f64 = 24.0;
/// Above each group, for its name.
const HEADING: f64 = 36.0;
/// How high a chart is at least, as a multiple of its first value: flat curves should look flat.
const LEAST_TOP: f64 = 2.0;

/// A picture in SVG of named groups of curves.
pub fn draw(groups: &[(&str, Vec<Curve>)]) -> String {
    let mut body = String::new();
    let mut top = 0.0;
    for (title, curves) in groups {
        let _ = writeln!(
            body,
            "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"16\" font-weight=\"bold\">{}</text>",
            top + 26.0,
            escaped(title)
        );
        top += HEADING;
        for row in curves.chunks(COLUMNS) {
            let mut left = MARGIN;
            for curve in row {
                chart(&mut body, left, top, curve);
                left += WIDTH + MARGIN;
            }
            top += TITLE + HEIGHT + SIZES;
        }
    }
    let width = (WIDTH + MARGIN).mul_add(3.0, MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n",
        top + MARGIN
    )
}

fn chart(body: &mut String, left: f64, top: f64, curve: &Curve) {
    let (Some(first), Some(last)) = (curve.points.first(), curve.points.last()) else {
        return;
    };
    let base = top + TITLE + HEIGHT;
    let most = curve
        .points
        .iter()
        .map(|it| it.1)
        .fold(first.1 * LEAST_TOP, f64::max);
    let height = |value: f64| base - value / most * HEIGHT;
    let points: Vec<String> = curve
        .points
        .iter()
        .map(|(size, value)| {
            let x = left + along(first.0, last.0, *size) * WIDTH;
            format!("{x:.1},{:.1}", height(*value))
        })
        .collect();
    let colour = if curve.is_over() {
        "#cf222e"
    } else {
        "#1f6feb"
    };
    let (show, right) = (|value| curve.unit.show(value), left + WIDTH);
    let _ = writeln!(
        body,
        "<text x=\"{left}\" y=\"{:.1}\">{}</text>\n\
         <text x=\"{left}\" y=\"{:.1}\" fill=\"{colour}\">{} to {}: {:.2} times</text>\n\
         <line x1=\"{left}\" y1=\"{base}\" x2=\"{right}\" y2=\"{base}\" stroke=\"#bbb\"/>\n\
         <text x=\"{left}\" y=\"{:.1}\" fill=\"#666\">{}</text>\n\
         <text x=\"{right}\" y=\"{:.1}\" fill=\"#666\" text-anchor=\"end\">{}</text>",
        top + 14.0,
        escaped(curve.name),
        top + 30.0,
        show(first.1),
        show(last.1),
        curve.ratio,
        base + 14.0,
        grouped(first.0),
        base + 14.0,
        grouped(last.0),
    );
    if let Some(limit) = curve.limit {
        let y = height(first.1 * limit);
        let _ = writeln!(
            body,
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#bbb\" \
             stroke-dasharray=\"4 3\"/>"
        );
    }
    let _ = writeln!(
        body,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
        points.join(" ")
    );
}

/// Where a size is between the first and the last, from 0 to 1, by its logarithm.
#[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
fn along(first: usize, last: usize, size: usize) -> f64 {
    let [first, last, size] = [first, last, size].map(|it| (it.max(1) as f64).ln());
    (size - first) / (last - first).max(f64::EPSILON)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Unit;

    #[test]
    fn a_curve_has_a_point_for_each_size_and_a_line_at_its_limit() {
        let points = vec![(100, 1.0), (1_000, 1.0), (10_000, 2.0)];
        let curve = Curve::of("get", Unit::Seconds, Some(1.5), points);
        let picture = draw(&[("calls", vec![curve])]);
        for expected in [
            "get</text>",
            "1.00 s to 2.00 s: 2.00 times",
            "points=\"20.0,116.0 155.0,116.0 290.0,76.0\"",
            "y1=\"96.0\"",
            "#cf222e",
        ] {
            assert!(picture.contains(expected), "{expected} is not in {picture}");
        }
    }
}
