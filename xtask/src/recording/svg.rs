//! A terminal as an animated picture, by CSS alone. Whoever wants no motion sees its end.

use std::fmt::Write as _;

use super::Step;
use super::ansi::{self, Run};

const COLUMNS: usize = 80;
const ROWS: usize = 22;
/// Sizes in hundredths of a pixel, so that no number of the picture depends on rounding.
const LETTER: usize = 840;
const LINE: usize = 2000;
const MARGIN: usize = 1600;

/// Times in milliseconds.
const BEFORE_TYPING: usize = 500;
const LETTER_TAKES: usize = 45;
const BEFORE_OUTPUT: usize = 350;
const READING: usize = 900;
const READING_LINE: usize = 180;
const AT_THE_END: usize = 4000;

/// The eight colours of a terminal.
const COLORS: &[&str] = &[
    "#3b4252", "#f07178", "#8fc97a", "#e6c06a", "#7cb3ee", "#c9a0e8", "#6fc7cf", "#dfe4e9",
];

/// Something that happens at a moment.
enum Change {
    /// A line appears.
    Line(Vec<Run>),
    /// A line is typed, letter by letter, after a prompt.
    Typed(String),
}

pub fn draw(steps: &[Step]) -> Result<String, String> {
    let (changes, duration) = schedule(steps)?;
    let (width, height) = (2 * MARGIN + COLUMNS * LETTER, 2 * MARGIN + ROWS * LINE);
    let mut picture = Picture {
        style: String::new(),
        body: String::new(),
        duration,
    };
    let mut scrolling = String::from("0%{transform:translateY(0)}");
    for (row, (moment, change)) in changes.iter().enumerate() {
        picture.add(row, *moment, change);
        if row >= ROWS {
            let (percent, up) = (picture.percent(*moment), pixels((row + 1 - ROWS) * LINE));
            let _ = write!(scrolling, "{percent}{{transform:translateY(-{up}px)}}");
        }
    }
    let up = pixels(changes.len().saturating_sub(ROWS) * LINE);
    let seconds = format!("{}.{:03}s", duration / 1000, duration % 1000);
    let Picture { style, body, .. } = picture;
    let (wide, high, margin) = (pixels(width), pixels(height), pixels(MARGIN));
    let (inner_width, inner_height) = (pixels(COLUMNS * LETTER), pixels(ROWS * LINE));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\" aria-labelledby=\"title\">\n\
         <title id=\"title\">The first commands of Windlass on a terminal</title>\n\
         <style>\n\
         text{{font:14px ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:#dfe4e9;white-space:pre}}\n\
         .bold{{font-weight:600}}.dim{{opacity:.62}}\n\
         .cover{{opacity:0}}.cover rect{{fill:#14181c}}.cover .cursor{{fill:#dfe4e9}}\n\
         .scroll{{transform:translateY(-{up}px)}}\n\
         @media (prefers-reduced-motion:no-preference){{\n\
         .scroll{{animation:scroll {seconds} step-end infinite}}\n\
         @keyframes scroll{{{scrolling}}}\n\
         g[id]{{animation-duration:{seconds};animation-timing-function:step-end;animation-iteration-count:infinite}}\n\
         {style}}}\n\
         </style>\n\
         <rect width=\"{wide}\" height=\"{high}\" rx=\"8\" fill=\"#14181c\"/>\n\
         <svg x=\"{margin}\" y=\"{margin}\" width=\"{inner_width}\" height=\"{inner_height}\">\n\
         <g class=\"scroll\">\n{body}</g>\n</svg>\n</svg>\n"
    ))
}

/// What appears when, row by row, and how long all of it takes.
fn schedule(steps: &[Step]) -> Result<(Vec<(usize, Change)>, usize), String> {
    let (mut changes, mut now) = (Vec::new(), 0);
    for step in steps {
        changes.push((now, Change::Typed(step.command.clone())));
        now += BEFORE_TYPING + step.command.chars().count() * LETTER_TAKES + BEFORE_OUTPUT;
        let lines = ansi::lines(&step.printed)?;
        let reading = READING + lines.len() * READING_LINE;
        changes.extend(lines.into_iter().map(|line| (now, Change::Line(line))));
        now += reading;
    }
    for (_, change) in &changes {
        let length = match change {
            Change::Line(runs) => runs.iter().map(|run| run.text.chars().count()).sum(),
            Change::Typed(command) => command.chars().count() + PROMPT.len(),
        };
        if length > COLUMNS {
            return Err(format!(
                "a line of {length} columns is too long for the picture"
            ));
        }
    }
    Ok((changes, now + AT_THE_END))
}

const PROMPT: &str = "$ ";

struct Picture {
    style: String,
    body: String,
    duration: usize,
}

impl Picture {
    fn add(&mut self, row: usize, moment: usize, change: &Change) {
        let start = self.percent(moment);
        if moment > 0 {
            let _ = writeln!(
                self.style,
                "#r{row}{{animation-name:r{row}}}@keyframes r{row}{{0%{{opacity:0}}{start}{{opacity:1}}}}"
            );
        }
        let _ = writeln!(self.body, "<g id=\"r{row}\">");
        match change {
            Change::Line(runs) => {
                let mut column = 0;
                for run in runs {
                    self.text(row, column, run);
                    column += run.text.chars().count();
                }
            }
            Change::Typed(command) => self.typed(row, moment, command),
        }
        self.body.push_str("</g>\n");
    }

    /// A cover in the colour of the terminal moves over the command, with the cursor at its edge.
    fn typed(&mut self, row: usize, moment: usize, command: &str) {
        let run = |text: &str, bold, dim| Run {
            text: text.to_owned(),
            style: ansi::Style {
                bold,
                dim,
                color: None,
            },
        };
        self.text(row, 0, &run(PROMPT, false, true));
        self.text(row, PROMPT.len(), &run(command, true, false));
        let letters = command.chars().count();
        let begin = moment + BEFORE_TYPING;
        let typed = begin + letters * LETTER_TAKES;
        let (begin, typed) = (self.percent(begin), self.percent(typed));
        let end = self.percent(moment + BEFORE_TYPING + letters * LETTER_TAKES + BEFORE_OUTPUT);
        let way = pixels(letters * LETTER);
        let _ = writeln!(
            self.style,
            "#c{row}{{animation-name:c{row}}}@keyframes c{row}{{0%{{opacity:1}}\
             {begin}{{opacity:1;transform:translateX(0);animation-timing-function:steps({letters})}}\
             {typed}{{opacity:1;transform:translateX({way}px)}}\
             {end}{{opacity:0;transform:translateX({way}px)}}}}"
        );
        let (x, y) = (pixels(PROMPT.len() * LETTER), pixels(row * LINE));
        let (wide, high, letter) = (pixels(COLUMNS * LETTER), pixels(LINE), pixels(LETTER));
        let _ = writeln!(
            self.body,
            "<g id=\"c{row}\" class=\"cover\"><rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\"/>\
             <rect class=\"cursor\" x=\"{x}\" y=\"{y}\" width=\"{letter}\" height=\"{high}\"/></g>"
        );
    }

    fn text(&mut self, row: usize, column: usize, run: &Run) {
        let indent = run.text.chars().take_while(|letter| *letter == ' ').count();
        let shown = run.text.trim();
        if shown.is_empty() {
            return;
        }
        let mut class = Vec::new();
        class.extend(run.style.bold.then_some("bold"));
        class.extend(run.style.dim.then_some("dim"));
        let class = if class.is_empty() {
            String::new()
        } else {
            format!(" class=\"{}\"", class.join(" "))
        };
        let color = run.style.color.and_then(|it| COLORS.get(usize::from(it)));
        let color = color.map_or_else(String::new, |it| format!(" style=\"fill:{it}\""));
        let (x, y) = (
            pixels((column + indent) * LETTER),
            pixels(row * LINE + 3 * LINE / 4),
        );
        // Whatever font there is, the columns stay where they are.
        let wide = pixels(shown.chars().count() * LETTER);
        let shown = crate::site::escaped(shown);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" textLength=\"{wide}\" lengthAdjust=\"spacingAndGlyphs\"{class}{color}>{shown}</text>"
        );
    }

    fn percent(&self, moment: usize) -> String {
        let parts = moment * 100_000 / self.duration;
        format!("{}.{:03}%", parts / 1000, parts % 1000)
    }
}

fn pixels(hundredths: usize) -> String {
    match hundredths % 100 {
        0 => (hundredths / 100).to_string(),
        rest => format!("{}.{rest:02}", hundredths / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(command: &str, printed: &str) -> Step {
        Step {
            command: command.to_owned(),
            printed: printed.to_owned(),
        }
    }

    #[test]
    fn a_picture_shows_commands_and_what_they_print() {
        let steps = [
            step("one 'a'", "\u{1b}[36m#1\u{1b}[0m  <x>\n"),
            step("two", ""),
        ];
        let picture = draw(&steps).unwrap();
        assert!(picture.contains(">one 'a'</text>"), "{picture}");
        assert!(
            picture.contains("style=\"fill:#6fc7cf\">#1</text>"),
            "{picture}"
        );
        assert!(picture.contains("x=\"33.60\" y=\"35\""), "{picture}");
        assert!(picture.contains(">&lt;x&gt;</text>"), "{picture}");
        assert_eq!(picture, draw(&steps).unwrap(), "it is always the same");
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let problem = draw(&[step("a", &"x".repeat(81))]).unwrap_err();
        assert_eq!(problem, "a line of 81 columns is too long for the picture");
    }

    #[test]
    fn the_terminal_scrolls_to_its_end() {
        let printed = "line\n".repeat(ROWS + 3);
        let picture = draw(&[step("a", &printed)]).unwrap();
        let up = "translateY(-80px)";
        assert_eq!(picture.matches(up).count(), 2, "{picture}");
    }
}
