//! A page: an index, then each failure with its traceback and its way out.
//!
//! It needs nothing but itself: no network, no font, and no script but one of its own, which
//! filters. Its policy forbids all else, so that not even a fault in the escaping of a log could
//! run anything. What a page holds is bounded: at most 500 failures that a rule knows and 200 that
//! none does.

mod excerpt;
mod first;
mod known;
mod text;

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Counts, Number, ReadTotals, ReportOptions, log_place, summary};
use crate::incident::Incident;
use crate::render::annotation::{CUT_OFF, on_ranks};
use crate::render::place::location;
use crate::traceback::stamp::Stamp;
use excerpt::{ExcerptPlace, Excerpts};
use first::First;
use known::KnownCard;
use text::{prose, shown};

/// The most failures that a rule knows.
const MAX_KNOWN: u64 = 500;
/// The most failures that no rule knows.
const MAX_UNKNOWN: u64 = 200;
/// From how many failures on they are folded, and listed by their rules above the index.
const MANY: usize = 20;
const STYLE: &str = include_str!("html/style.css");
const FILTER: &str = include_str!("html/filter.js");
/// Allows the style, and the script by its hash (`openssl dgst -sha256 -binary | base64`).
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
     script-src 'sha256-qsA19phQGOBLdNVDgVRfWBaLwTqATeGE5A8F9Bsgn/M='; base-uri 'none'; form-action 'none'";

/// What is kept for the end, where all is written.
#[derive(Default)]
pub(super) struct HtmlReport {
    first: First,
    known: Vec<KnownCard>,
    known_count: u64,
    unknown: Vec<UnknownCard>,
    unknown_count: u64,
}

/// A failure that no rule knows.
struct UnknownCard {
    /// What and where it is.
    head: Markup,
    place: ExcerptPlace,
}

impl HtmlReport {
    /// Keeps an incident.
    pub(super) fn add(&mut self, incident: &Incident) {
        let root = &incident.root;
        if root.diagnosis.is_some() {
            self.known_count += 1;
            if self.known_count <= MAX_KNOWN {
                let known = KnownCard::new(self.known_count, incident);
                self.first.add(incident, &known.title);
                self.known.push(known);
            }
        } else {
            self.unknown_count += 1;
            if self.unknown_count <= MAX_UNKNOWN {
                let exception = root.exception.as_deref().unwrap_or(CUT_OFF);
                self.first.add(incident, exception);
                self.unknown.push(UnknownCard {
                    head: head(exception, &root.message, incident),
                    place: ExcerptPlace::of(incident),
                });
            }
        }
    }

    /// Writes the page.
    pub(super) fn end(
        &self,
        options: &ReportOptions,
        counts: Counts,
        read: ReadTotals,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let summary = shown(&summary(counts, read));
        let head = html! {
            (DOCTYPE)
            (PreEscaped("<html lang=\"en\">"))
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="generator" content={ "pickfix " (env!("CARGO_PKG_VERSION")) };
                title { "pickfix: " (summary) }
                style { (PreEscaped(STYLE)) }
            }
            (PreEscaped("<body>\n"))
            a.skip href="#failures" { "Skip to the failures" }
            header {
                p.brand { "pickfix" }
                h1 { (summary) }
            }
            (PreEscaped("<main>\n"))
            (self.index())
            (PreEscaped("<div id=\"failures\" tabindex=\"-1\">\n"))
        };
        out.write_all(head.into_string().as_bytes())?;
        // One at a time: the excerpts of all would be many.
        let mut excerpts = Excerpts::new(options.log);
        for known in &self.known {
            let is_open = self.known.len() <= MANY;
            let card = known.card(&mut excerpts, is_open).into_string();
            out.write_all(card.as_bytes())?;
        }
        let rest = html! {
            (left_out(self.known_count, self.known.len()))
            (self.unknown(options))
            (PreEscaped("</div>\n</main>\n"))
            footer {
                p {
                    "Made by pickfix " (env!("CARGO_PKG_VERSION")) " from " (Number(read.bytes))
                    " bytes of logs. " code { "pickfix explain ID" } " tells all about a failure."
                }
            }
            script { (PreEscaped(FILTER)) }
            (PreEscaped("</body>\n</html>\n"))
        };
        out.write_all(rest.into_string().as_bytes())
    }

    /// Returns a row for each failure that a rule knows, where there is more to tell than the
    /// failure itself does.
    fn index(&self) -> Markup {
        let first = self.first.sentence();
        if self.known.len() + self.unknown.len() < 2 && first.is_none() {
            return html! {};
        }
        let timed = self.known.iter().filter(|known| known.time.is_some());
        let has_times = timed.count() * 2 > self.known.len();
        html! {
            section.card aria-labelledby="index" {
                h2 #index { "What failed" }
                @if let Some(first) = first { p { (first) } }
                (self.kinds())
                table.index {
                    thead {
                        tr {
                            th.number scope="col" { "Times" }
                            th scope="col" { "Failure" }
                            th scope="col" { "Where" }
                            th scope="col" { "In the log" }
                            @if has_times { th scope="col" { "First at" } }
                        }
                    }
                    tbody {
                        @for known in &self.known {
                            tr {
                                td.number { (Number(known.count)) }
                                td {
                                    a href={ "#failure-" (known.number) } { (prose(&known.title)) }
                                    " " code { (known.id) } span.quiet { (known.ranks) }
                                    span.hidden { " " (known.family) }
                                }
                                td title=(known.frame) { (breakable(&known.line)) }
                                td { (breakable(&known.log)) }
                                @if has_times { td { (known.time.map(clock).map(|clock| seconds(&clock).to_owned()).unwrap_or_default()) } }
                            }
                        }
                        @if self.unknown_count > 0 {
                            tr {
                                td.number { (Number(self.unknown_count)) }
                                td colspan="4" { a href="#unknown" { "Failures that no rule knows" } }
                            }
                        }
                    }
                }
            }
            (PreEscaped("\n"))
        }
    }

    /// Returns a list of the rules to jump by, where there are many failures.
    fn kinds(&self) -> Markup {
        let mut kinds: Vec<(&KnownCard, u64)> = Vec::new();
        for known in &self.known {
            match kinds.iter_mut().find(|(first, _)| first.id == known.id) {
                Some((_, count)) => *count += 1,
                None => kinds.push((known, 1)),
            }
        }
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        html! {
            @if self.known.len() > MANY {
                nav.kinds aria-label="The first of each kind" {
                    @for (first, count) in kinds {
                        a href={ "#failure-" (first.number) } { (first.id) " " (Number(count)) }
                    }
                }
            }
        }
    }

    fn unknown(&self, options: &ReportOptions) -> Markup {
        if self.unknown.is_empty() {
            return html! {};
        }
        // Known failures, however many, leave them their share.
        let mut excerpts = Excerpts::new(options.log);
        html! {
            section.card aria-labelledby="unknown" {
                h2 #unknown { "Failures that no rule knows" }
                p.quiet { "Each where it came first." }
                @for UnknownCard { head, place } in &self.unknown {
                    @match excerpts.at(place) {
                        Some(log) => details.case { summary { (head) } (log) },
                        None => div.case { (head) },
                    }
                    (PreEscaped("\n"))
                }
                (left_out(self.unknown_count, self.unknown.len()))
            }
        }
    }
}

/// Says how many were left out.
fn left_out(all: u64, held: usize) -> Markup {
    let more = all.saturating_sub(held as u64);
    html! {
        @if more > 0 {
            p.quiet {
                (Number(more)) " more are left out here; "
                code { "pickfix check --format jsonl --unknown" } " lists all."
            }
        }
    }
}

/// Writes the path of a file so that it is broken between its names and words first of all.
fn breakable(path: &str) -> Markup {
    html! {
        @for piece in path.split_inclusive(['/', '\\', '_', '.', '-']) { (piece) wbr; }
    }
}

/// Says how often and where a failure was seen.
fn seen(incident: &Incident) -> String {
    let times = match incident.seen.count {
        1 => "once".to_owned(),
        count => format!("{} times", Number(count)),
    };
    let files = match incident.seen.files {
        0 | 1 => String::new(),
        files => format!(", in {} files", Number(files)),
    };
    times + &on_ranks(&incident.seen.ranks) + &files
}

/// Returns what is seen of a failure that no rule knows where it is folded.
fn head(exception: &str, message: &str, incident: &Incident) -> Markup {
    let frame = incident.root.facts.user_frame.as_ref();
    let about = [
        Some(seen(incident)),
        frame
            .map(|frame| location(frame, None))
            .filter(|place| !place.is_empty()),
        Some(log_place(incident)),
        incident.root.time.map(clock),
    ];
    let about: Vec<String> = about.into_iter().flatten().collect();
    html! {
        strong { (shown(exception)) }
        @if !message.is_empty() { ": " (shown(message)) }
        " " span.about { (shown(&about.join(" · "))) }
    }
}

/// Writes a point in time as people do: `2026-05-01 10:00:03`.
fn clock(time: Stamp) -> String {
    time.to_string().replacen('T', " ", 1)
}

/// Drops the fractions of a second.
fn seconds(clock: &str) -> &str {
    clock.split('.').next().unwrap_or(clock)
}
