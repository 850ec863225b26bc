//! A page: who failed when, then each failure with its traceback and its way out.
//!
//! It needs nothing but itself: no network, no script, no font. Its policy forbids all but its own
//! style, so that not even a fault in the escaping of a log could run anything. What a page holds
//! is bounded: at most 500 failures that a rule knows and 200 that none does.

mod figure;
mod text;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use super::{Counts, Read, Style, log_place, number, summary};
use crate::corpus::{Diagnosis, Severity, ToldFix};
use crate::incident::{Failure, Incident};
use crate::render::annotation::{self, FINDER, location, on_ranks, places};
use crate::traceback::Span;
use figure::{Figure, clock};
use text::{escaped, lines, link, prose};

/// The most failures that a rule knows.
const MAX_KNOWN: u64 = 500;
/// The most failures that no rule knows.
const MAX_UNKNOWN: u64 = 200;
/// The most consequences that are listed for one failure.
const MAX_CONSEQUENCES: usize = 20;
/// The most that are folded open.
const MAX_OPEN: usize = 8;
/// How much of a traceback is shown: of its beginning and of its end, in bytes.
const MAX_HEAD: u64 = 5 * 1024;
const MAX_TAIL: u64 = 3 * 1024;
/// How much of all tracebacks is shown, in bytes.
const MAX_LOG: u64 = 2 * 1024 * 1024;

const STYLE: &str = include_str!("html/style.css");
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// What is kept for the end, where all is written.
#[derive(Default)]
pub(super) struct State {
    figure: Figure,
    known: Vec<Known>,
    known_count: u64,
    unknown: Vec<String>,
    unknown_count: u64,
}

/// A failure, as markup around the text of its log.
struct Known {
    before: String,
    file: Option<Arc<str>>,
    at: Span,
    after: String,
}

/// Keeps an incident.
pub(super) fn incident(state: &mut State, incident: &Incident) {
    match &incident.root {
        Failure::Known(diagnosis) => {
            state.known_count += 1;
            let number = state.known_count;
            if number > MAX_KNOWN {
                return;
            }
            let target = format!("failure-{number}");
            let title = diagnosis.told().title;
            state.figure.add(incident, Some(number), &target, &title);
            state.known.push(known(number, diagnosis, incident));
        }
        Failure::Unknown {
            exception, message, ..
        } => {
            state.unknown_count += 1;
            if state.unknown_count > MAX_UNKNOWN {
                return;
            }
            let target = format!("unknown-{}", state.unknown_count);
            let exception = match exception.as_str() {
                "" => "a traceback that is cut off",
                exception => exception,
            };
            state.figure.add(incident, None, &target, exception);
            let row = unknown(&target, exception, message, incident);
            state.unknown.push(row);
        }
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
    let mut left = MAX_LOG;
    for known in &state.known {
        out.write_all(known.before.as_bytes())?;
        write_log(known, style, &mut left, out)?;
        out.write_all(known.after.as_bytes())?;
    }
    left_out(state.known_count, state.known.len(), out)?;
    if !state.unknown.is_empty() {
        out.write_all(
            b"<section class=\"card\" aria-labelledby=\"unknown\">\n\
              <h2 id=\"unknown\">Failures that no rule knows</h2>\n\
              <p class=\"quiet\">Each where it came first.</p>\n\
              <table>\n<thead><tr><th scope=\"col\" class=\"number\">Times</th>\
              <th scope=\"col\">What</th><th scope=\"col\">Where</th>\
              <th scope=\"col\">In the log</th></tr></thead>\n<tbody>\n",
        )?;
        for row in &state.unknown {
            out.write_all(row.as_bytes())?;
        }
        out.write_all(b"</tbody>\n</table>\n")?;
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

/// Writes the lines of the log that a failure was read from, if they can be had.
fn write_log(known: &Known, style: &Style, left: &mut u64, out: &mut impl Write) -> io::Result<()> {
    let Known { file, at, .. } = known;
    let (Some(read), Some(file)) = (style.log, file) else {
        return Ok(());
    };
    let len = at.end_offset.saturating_sub(at.offset);
    let shown = len.min(MAX_HEAD + MAX_TAIL);
    if *left < shown || len == 0 {
        return Ok(());
    }
    let text = if shown == len {
        read(file, at.offset, at.end_offset)
    } else {
        let head = read(file, at.offset, at.offset + MAX_HEAD);
        let tail = read(file, at.end_offset - MAX_TAIL, at.end_offset);
        head.zip(tail).map(|(head, tail)| {
            let left_out = number(len - shown);
            format!(
                "{}\n… {left_out} bytes are left out …\n{}",
                head.trim_end(),
                tail
            )
        })
    };
    let Some(text) = text else {
        return Ok(());
    };
    *left -= shown;
    writeln!(
        out,
        "<h3>In the log</h3>\n<pre tabindex=\"0\" aria-label=\"the log, lines {} to {}\"><code>{}</code></pre>",
        at.line,
        at.end_line,
        lines(&text)
    )
}

/// Writes a failure that a rule knows.
fn known(number: u64, diagnosis: &Diagnosis, incident: &Incident) -> Known {
    let told = diagnosis.told();
    let rule = diagnosis.rule;
    let severity = match diagnosis.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let kind = match annotation::kind(diagnosis.severity(), diagnosis.confidence) {
        "" => "error",
        kind => kind.trim_end_matches(": "),
    };
    let mut before = format!(
        "<details open class=\"card incident {severity}\" id=\"failure-{number}\">\n\
         <summary><h2>{number}. {}</h2> <span class=\"about\"><span class=\"kind\">{kind}</span> \
         <code>{}</code> {}</span></summary>\n<dl>\n",
        prose(&told.title),
        escaped(&rule.id),
        escaped(&seen(incident)),
    );
    let time = incident
        .root
        .time()
        .map(|time| format!(", {}", clock(time)));
    row(
        "log",
        &format!(
            "{}{}",
            escaped(&log_place(incident)),
            time.unwrap_or_default()
        ),
        &mut before,
    );
    for (name, place, remark) in places(diagnosis) {
        let remark = match remark.as_str() {
            "" => String::new(),
            source if name == "where" => format!(" <code>{}</code>", escaped(source)),
            remark => format!(" <span class=\"quiet\">{}</span>", escaped(remark)),
        };
        row(name, &format!("{}{remark}", escaped(&place)), &mut before);
    }
    row("why", &prose(&told.cause), &mut before);
    before += "</dl>\n";
    let is_needed =
        |fix: &&ToldFix| fix.name.as_deref() != Some(FINDER) || diagnosis.object_path.is_none();
    let fixes: Vec<&ToldFix> = told.fixes.iter().filter(is_needed).collect();
    if let Some((first, others)) = fixes.split_first() {
        before += "<h3>Fix</h3>\n";
        way(first, &mut before);
        if !others.is_empty() {
            let _ = writeln!(
                before,
                "<details class=\"more\"><summary>{}</summary>",
                match others.len() {
                    1 => "Another way".to_owned(),
                    count => format!("{count} other ways"),
                }
            );
            for fix in others {
                way(fix, &mut before);
            }
            before += "</details>\n";
        }
    }
    let mut after = consequences(incident);
    let links: Vec<String> = told.links.iter().filter_map(|l| link(l)).collect();
    if !links.is_empty() {
        after += "<h3>To read</h3>\n";
        for link in links {
            let _ = writeln!(after, "<p><a href=\"{link}\">{link}</a></p>");
        }
    }
    after += "</details>\n";
    Known {
        before,
        file: incident.file.clone(),
        at: incident.root.at(),
        after,
    }
}

fn row(name: &str, html: &str, to: &mut String) {
    let _ = writeln!(to, "<dt>{name}</dt><dd>{html}</dd>");
}

/// Writes one way out.
fn way(fix: &ToldFix, to: &mut String) {
    let _ = writeln!(to, "<div class=\"way\">\n<p>{}</p>", prose(&fix.text));
    if let Some(code) = &fix.code {
        let _ = writeln!(
            to,
            "<pre class=\"copy\" tabindex=\"0\" aria-label=\"code to copy\" title=\"a click selects all of it\"><code>{}</code></pre>",
            lines(code)
        );
    }
    for (name, text) in [("Check", &fix.check), ("Not", &fix.not)] {
        if let Some(text) = text {
            let _ = writeln!(
                to,
                "<p><span class=\"quiet\">{name}:</span> {}</p>",
                prose(text)
            );
        }
    }
    *to += "</div>\n";
}

/// Says how often and where a failure was seen.
fn seen(incident: &Incident) -> String {
    let mut text = match incident.count {
        1 => "once".to_owned(),
        count => format!("{} times", number(count)),
    };
    text += &on_ranks(&incident.ranks);
    if incident.files > 1 {
        let _ = write!(text, ", in {} files", number(incident.files));
    }
    text
}

fn consequences(incident: &Incident) -> String {
    let all = &incident.consequences;
    if all.is_empty() {
        return String::new();
    }
    let mut html = format!(
        "<h3>What followed</h3>\n<details class=\"more\"{}><summary>{} from this</summary>\n<table>\n\
         <thead><tr><th scope=\"col\" class=\"number\">Times</th><th scope=\"col\">What</th>\
         <th scope=\"col\">Rank</th><th scope=\"col\">In the log</th></tr></thead>\n<tbody>\n",
        if all.len() > MAX_OPEN { "" } else { " open" },
        super::many(incident.consequences_count, "failure")
    );
    for c in all.iter().take(MAX_CONSEQUENCES) {
        let exception = c.exception.as_deref().unwrap_or_default();
        let rank = c.rank.map(|rank| rank.to_string()).unwrap_or_default();
        let _ = writeln!(
            html,
            "<tr><td class=\"number\">{}</td><td><code>{}</code> {}</td><td{}>{rank}</td><td>{}:{}</td></tr>",
            number(c.count),
            escaped(c.id),
            escaped(exception),
            if rank.is_empty() {
                ""
            } else {
                " data-name=\"rank\""
            },
            escaped(c.file.as_deref().unwrap_or("-")),
            c.line
        );
    }
    html += "</tbody>\n</table>\n";
    if all.len() > MAX_CONSEQUENCES {
        let more = (all.len() - MAX_CONSEQUENCES) as u64;
        let _ = writeln!(html, "<p class=\"quiet\">and {} more</p>", number(more));
    }
    html + "</details>\n"
}

/// Writes a row for a failure that no rule knows.
fn unknown(target: &str, exception: &str, message: &str, incident: &Incident) -> String {
    let frame = incident.root.facts().user_frame.as_ref();
    let rank = incident.root.facts().rank;
    let rank = rank
        .map(|rank| format!(", rank {rank}"))
        .unwrap_or_default();
    let message = match message {
        "" => String::new(),
        message => format!(": {}", escaped(message)),
    };
    format!(
        "<tr id=\"{target}\" tabindex=\"-1\"><td class=\"number\">{}</td>\
         <td><strong>{}</strong>{message}</td><td>{}</td><td>{}{rank}</td></tr>\n",
        number(incident.count),
        escaped(exception),
        escaped(&frame.map(location).unwrap_or_default()),
        escaped(&log_place(incident)),
    )
}
