//! A page: who failed when, then each failure with its traceback and its way out.
//!
//! It needs nothing but itself: no network, no script, no font. Its policy forbids all but its own
//! style, so that not even a fault in the escaping of a log could run anything. What a page holds
//! is bounded: at most 500 failures that a rule knows and 200 that none does.

mod excerpt;
mod figure;
mod known;
mod text;

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{CUT_OFF, Counts, Read, Style, log_place, number, summary};
use crate::incident::Incident;
use crate::render::annotation::{location, on_ranks};
use excerpt::{Excerpts, Place};
use figure::{Figure, clock};
use known::{Known, known};
use text::escaped;

/// The most failures that a rule knows.
const MAX_KNOWN: u64 = 500;
/// The most failures that no rule knows.
const MAX_UNKNOWN: u64 = 200;
const STYLE: &str = include_str!("html/style.css");
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// What is kept for the end, where all is written.
#[derive(Default)]
pub(super) struct State {
    figure: Figure,
    known: Vec<Known>,
    known_count: u64,
    unknown: Vec<Unknown>,
    unknown_count: u64,
}

/// A failure that no rule knows.
struct Unknown {
    /// The id of its element.
    target: String,
    /// What and where it is, as markup.
    head: String,
    place: Place,
}

/// Keeps an incident.
pub(super) fn incident(state: &mut State, incident: &Incident) {
    let root = &incident.root;
    if let Some(diagnosis) = &root.diagnosis {
        state.known_count += 1;
        let number = state.known_count;
        if number > MAX_KNOWN {
            return;
        }
        let target = format!("failure-{number}");
        let title = root.advice().title;
        state.figure.add(incident, Some(number), &target, &title);
        state.known.push(known(number, diagnosis, incident));
    } else {
        state.unknown_count += 1;
        if state.unknown_count > MAX_UNKNOWN {
            return;
        }
        let target = format!("unknown-{}", state.unknown_count);
        let exception = root.exception.as_deref().unwrap_or(CUT_OFF);
        state.figure.add(incident, None, &target, exception);
        state.unknown.push(Unknown {
            head: head(exception, &root.message, incident),
            place: Place::of(incident),
            target,
        });
    }
}

/// Writes the page.
pub(super) fn end(
    state: &State,
    style: &Style,
    counts: Counts,
    read: Read,
    out: &mut impl Write,
) -> io::Result<()> {
    let summary = escaped(&summary(counts, read));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"generator\" content=\"pickfix {version}\">\n\
         <title>pickfix: {summary}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#failures\">Skip to the failures</a>\n\
         <header>\n<p class=\"brand\">pickfix</p>\n<h1>{summary}</h1>\n</header>\n<main>\n{}",
        state.figure.draw(),
        version = env!("CARGO_PKG_VERSION"),
    )?;
    writeln!(out, "<div id=\"failures\" tabindex=\"-1\">")?;
    let mut excerpts = Excerpts::new(style.log);
    for known in &state.known {
        out.write_all(known.with_log(&mut excerpts).as_bytes())?;
    }
    left_out(state.known_count, state.known.len(), out)?;
    if !state.unknown.is_empty() {
        out.write_all(
            b"<section class=\"card\" aria-labelledby=\"unknown\">\n\
              <h2 id=\"unknown\">Failures that no rule knows</h2>\n\
              <p class=\"quiet\">Each where it came first.</p>\n",
        )?;
        // Known failures, however many, leave them their share.
        let mut excerpts = Excerpts::new(style.log);
        for Unknown {
            target,
            head,
            place,
        } in &state.unknown
        {
            match excerpts.at(place) {
                Some(log) => writeln!(
                    out,
                    "<details class=\"case\" id=\"{target}\"><summary>{head}</summary>\n{log}</details>"
                ),
                None => writeln!(out, "<div class=\"case\" id=\"{target}\">{head}</div>"),
            }?;
        }
        left_out(state.unknown_count, state.unknown.len(), out)?;
        out.write_all(b"</section>\n")?;
    }
    writeln!(
        out,
        "</div>\n</main>\n<footer>\n<p>Made by pickfix {} from {} bytes of logs. <code>pickfix explain ID</code> \
         tells all about a failure.</p>\n</footer>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION"),
        number(read.bytes)
    )
}

/// Says how many were left out.
fn left_out(all: u64, shown: usize, out: &mut impl Write) -> io::Result<()> {
    match all.saturating_sub(shown as u64) {
        0 => Ok(()),
        more => writeln!(
            out,
            "<p class=\"quiet\">{} more are left out here; <code>pickfix check --format jsonl \
             --unknown</code> lists all.</p>",
            number(more)
        ),
    }
}

/// Says how often and where a failure was seen.
fn seen(incident: &Incident) -> String {
    let mut text = match incident.seen.count {
        1 => "once".to_owned(),
        count => format!("{} times", number(count)),
    };
    text += &on_ranks(&incident.seen.ranks);
    if incident.seen.files > 1 {
        let _ = write!(text, ", in {} files", number(incident.seen.files));
    }
    text
}

/// Writes what stands of a failure that no rule knows where it is folded.
fn head(exception: &str, message: &str, incident: &Incident) -> String {
    let message = match message {
        "" => String::new(),
        message => format!(": {}", escaped(message)),
    };
    let frame = incident.root.facts.user_frame.as_ref();
    let time = incident.root.time;
    let about = [
        Some(seen(incident)),
        frame.map(location).filter(|place| !place.is_empty()),
        Some(log_place(incident)),
        time.map(clock),
    ];
    let about: Vec<String> = about.iter().flatten().map(|text| escaped(text)).collect();
    format!(
        "<strong>{}</strong>{message} <span class=\"about\">{}</span>",
        escaped(exception),
        about.join(" · ")
    )
}
