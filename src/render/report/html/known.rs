//! A failure that a rule knows: what it is, the ways out, what followed.

use std::fmt::Write as _;

use super::excerpt::{Excerpts, Place};
use super::figure::clock;
use super::seen;
use super::text::{escaped, lines, link, prose};
use crate::corpus::{Advice, Diagnosis, Failure, FixAdvice, Severity};
use crate::incident::Incident;
use crate::render::annotation::{self, places};
use crate::render::finder::{FINDER, find};
use crate::render::report::{log_place, many, number};

/// The most consequences that are listed for one failure.
const MAX_CONSEQUENCES: usize = 20;
/// The most that are folded open.
const MAX_OPEN: usize = 8;

/// A failure, as markup around the text of its log.
pub(super) struct Known {
    before: String,
    place: Place,
    after: String,
}

impl Known {
    /// Writes it out.
    pub(super) fn with_log(&self, excerpts: &mut Excerpts) -> String {
        let Self {
            before,
            place,
            after,
        } = self;
        match excerpts.at(place) {
            Some(log) => format!("{before}<h3>In the log</h3>\n{log}{after}"),
            None => format!("{before}{after}"),
        }
    }
}

/// Writes a failure that a rule knows.
pub(super) fn known(number: u64, diagnosis: &Diagnosis, incident: &Incident) -> Known {
    let root = &incident.root;
    let told = root.advice();
    let severity = match root.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let kind = match annotation::kind(root.severity(), diagnosis.confidence) {
        "" => "error",
        kind => kind.trim_end_matches(": "),
    };
    let mut before = format!(
        "<details open class=\"card incident {severity}\" id=\"failure-{number}\">\n\
         <summary><h2>{number}. {}</h2> <span class=\"about\"><span class=\"kind\">{kind}</span> \
         <code>{}</code> {}</span></summary>\n<dl>\n",
        prose(&told.title),
        escaped(&diagnosis.rule.id),
        escaped(&seen(incident)),
    );
    let time = incident.root.time.map(|time| format!(", {}", clock(time)));
    row(
        "log",
        &format!(
            "{}{}",
            escaped(&log_place(incident)),
            time.unwrap_or_default()
        ),
        &mut before,
    );
    for (name, place, remark) in places(root) {
        let remark = match remark.as_str() {
            "" => String::new(),
            source if name == "where" => format!(" <code>{}</code>", escaped(source)),
            remark => format!(" <span class=\"quiet\">{}</span>", escaped(remark)),
        };
        row(name, &format!("{}{remark}", escaped(&place)), &mut before);
    }
    let path = diagnosis.object_path.as_ref();
    if let Some(reached) = path.and_then(|path| path.reached.as_deref()) {
        row("reached as", &escaped(reached), &mut before);
    }
    row("why", &prose(&told.cause), &mut before);
    before += "</dl>\n";
    ways(root, &told, &mut before);
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
        place: Place::of(incident),
        after,
    }
}

fn row(name: &str, html: &str, to: &mut String) {
    let _ = writeln!(to, "<dt>{name}</dt><dd>{html}</dd>");
}

/// Writes the ways out: the chosen one, how to find the object, the others.
fn ways(failure: &Failure, told: &Advice, to: &mut String) {
    let Some((first, others)) = told.fixes.split_first() else {
        return;
    };
    *to += "<h3>Fix</h3>\n";
    way(first, to);
    let find = find(failure, told);
    let is_named = failure
        .diagnosis
        .as_ref()
        .is_some_and(|d| d.object_path.is_some());
    let is_found = find.is_some() || is_named;
    if let Some(find) = find {
        *to += "<h3>Find</h3>\n<div class=\"way\">\n";
        text_and_code(&find.text, Some(&find.code), to);
        *to += "</div>\n";
    }
    let is_needed = |fix: &&FixAdvice| !is_found || fix.name.as_deref() != Some(FINDER);
    let others: Vec<&FixAdvice> = others.iter().filter(is_needed).collect();
    if others.is_empty() {
        return;
    }
    let _ = writeln!(
        to,
        "<details class=\"more\"><summary>{}</summary>",
        match others.len() {
            1 => "Another way".to_owned(),
            count => format!("{count} other ways"),
        }
    );
    for fix in others {
        way(fix, to);
    }
    *to += "</details>\n";
}

/// Writes one way out.
fn way(fix: &FixAdvice, to: &mut String) {
    *to += "<div class=\"way\">\n";
    text_and_code(&fix.text, fix.code.as_deref(), to);
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

fn text_and_code(text: &str, code: Option<&str>, to: &mut String) {
    let _ = writeln!(to, "<p>{}</p>", prose(text));
    if let Some(code) = code {
        let _ = writeln!(
            to,
            "<pre class=\"copy\" tabindex=\"0\" aria-label=\"code to copy\" title=\"a click selects all of it\"><code>{}</code></pre>",
            lines(code)
        );
    }
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
        many(incident.consequences_count, "failure")
    );
    for c in all.iter().take(MAX_CONSEQUENCES) {
        let exception = c.exception.as_deref().unwrap_or_default();
        let rank = c
            .first
            .rank
            .map(|rank| rank.to_string())
            .unwrap_or_default();
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
            escaped(c.first.file.as_deref().unwrap_or("-")),
            c.first.line
        );
    }
    html += "</tbody>\n</table>\n";
    if all.len() > MAX_CONSEQUENCES {
        let more = (all.len() - MAX_CONSEQUENCES) as u64;
        let _ = writeln!(html, "<p class=\"quiet\">and {} more</p>", number(more));
    }
    html + "</details>\n"
}
