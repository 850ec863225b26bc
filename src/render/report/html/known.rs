//! A failure that a rule knows: what it is, the ways out, what followed.

use maud::{Markup, PreEscaped, html};

use super::excerpt::{ExcerptPlace, Excerpts};
use super::text::{lines, link, prose, shown};
use super::{clock, seen};
use crate::corpus::{Advice, Confidence, Failure, FixAdvice};
use crate::incident::Incident;
use crate::render::annotation::on_ranks;
use crate::render::card::kind;
use crate::render::finder::{FINDER, fully, object};
use crate::render::place::{Row, location, places};
use crate::render::report::{Count, Number, log_place, place};
use crate::traceback::stamp::Stamp;

/// The most consequences that are listed for one failure.
const MAX_CONSEQUENCES: usize = 20;
/// The most that are folded open.
const MAX_OPEN: usize = 8;

/// A failure, for its row in the index and its card.
pub(super) struct KnownCard {
    pub(super) number: u64,
    pub(super) title: String,
    pub(super) id: String,
    pub(super) count: u64,
    pub(super) ranks: String,
    pub(super) family: String,
    /// The user's own line, with its function.
    pub(super) frame: String,
    /// The same in short, for the index.
    pub(super) line: String,
    pub(super) log: String,
    pub(super) time: Option<Stamp>,
    class: &'static str,
    /// What is above the excerpt of the log.
    before: Markup,
    place: ExcerptPlace,
    /// What is below it.
    after: Markup,
}

impl KnownCard {
    pub(super) fn new(number: u64, incident: &Incident) -> Self {
        let root = &incident.root;
        let told = root.advice();
        let frame = root.facts.user_frame.as_ref();
        Self {
            number,
            id: shown(root.id().unwrap_or_default()),
            count: incident.seen.count,
            ranks: on_ranks(&incident.seen.ranks),
            family: shown(root.rule().map_or("", |rule| &rule.family)),
            line: shown(&place(incident, None)),
            frame: shown(&frame.map(|frame| location(frame, None)).unwrap_or_default()),
            log: shown(&log_place(incident)),
            time: root.time,
            class: root.severity().name(),
            before: before(number, &told, incident),
            place: ExcerptPlace::of(incident),
            after: after(&told, incident),
            title: told.title,
        }
    }

    /// Returns the card.
    pub(super) fn card(&self, excerpts: &mut Excerpts, is_open: bool) -> Markup {
        html! {
            details open[is_open] class={ "card incident " (self.class) } id={ "failure-" (self.number) } {
                (self.before)
                @if let Some(log) = excerpts.at(&self.place) { h3 { "In the log" } (log) }
                (self.after)
            }
            (PreEscaped("\n"))
        }
    }
}

fn before(number: u64, told: &Advice, incident: &Incident) -> Markup {
    let root = &incident.root;
    let diagnosis = root.diagnosis.as_ref();
    let confidence = diagnosis.map_or(Confidence::Certain, |d| d.confidence);
    let kind = match kind(root.severity(), confidence) {
        "" => "error",
        kind => kind.trim_end_matches(": "),
    };
    let time = incident.root.time.map(|time| format!(", {}", clock(time)));
    let path = diagnosis.and_then(|d| d.object_path.as_ref());
    let reached = path.and_then(|path| path.reached.as_deref());
    html! {
        summary {
            h2 { (number) ". " (prose(&told.title)) }
            " "
            span.about {
                span.kind { (kind) } " " (shown(root.rule().map_or("", |rule| &rule.family))) " " code { (shown(root.id().unwrap_or_default())) } " " (shown(&seen(incident)))
            }
        }
        dl {
            dt { "log" }
            dd { (shown(&log_place(incident))) (time.unwrap_or_default()) }
            @for Row { label: name, name: place, remark, .. } in places(root, None) {
                dt { (name) }
                dd {
                    (shown(&place))
                    @if remark.is_empty() {}
                    @else if name == "where" { " " code { (shown(&remark)) } }
                    @else { " " span.quiet { (shown(&remark)) } }
                }
            }
            @if let Some(reached) = reached { dt { "reached as" } dd { (shown(reached)) } }
            dt { "why" }
            dd { (prose(&told.cause)) }
        }
        (ways(root, told))
    }
}

/// Returns the ways out: the chosen one, how to find the object, the others.
fn ways(failure: &Failure, told: &Advice) -> Markup {
    let Some((first, others)) = told.fixes.split_first() else {
        return html! {};
    };
    let find = object(failure, told).map(|object| fully(&object));
    let diagnosis = failure.diagnosis.as_ref();
    let is_found =
        find.is_some() || diagnosis.is_some_and(|d| d.object_path.is_some() || d.object.is_some());
    let is_needed = |fix: &&FixAdvice| !is_found || fix.name.as_deref() != Some(FINDER);
    let others: Vec<&FixAdvice> = others.iter().filter(is_needed).collect();
    html! {
        h3 { "Fix" }
        (way(first))
        @if let Some((text, code)) = find {
            h3 { "Find" }
            div.way { (text_and_code(&text, Some(&code))) }
        }
        @if !others.is_empty() {
            details.more {
                summary {
                    @if others.len() == 1 { "Another way" } @else { (others.len()) " other ways" }
                }
                @for fix in others { (way(fix)) }
            }
        }
    }
}

/// Returns one way out.
fn way(fix: &FixAdvice) -> Markup {
    html! {
        div.way {
            (text_and_code(&fix.text, fix.code.as_deref()))
            @for (name, text) in [("Check", &fix.check), ("Not", &fix.not)] {
                @if let Some(text) = text { p { span.quiet { (name) ":" } " " (prose(text)) } }
            }
        }
    }
}

fn text_and_code(text: &str, code: Option<&str>) -> Markup {
    html! {
        p { (prose(text)) }
        @if let Some(code) = code {
            pre.copy tabindex="0" aria-label="code to copy" title="a click selects all of it" {
                code { (lines(code)) }
            }
        }
    }
}

fn after(told: &Advice, incident: &Incident) -> Markup {
    let all = &incident.consequences;
    let links: Vec<Markup> = told
        .links
        .iter()
        .filter_map(|address| link(address))
        .collect();
    html! {
        @if !all.is_empty() {
            h3 { "What followed" }
            details.more open[all.len() <= MAX_OPEN] {
                summary { (Count(incident.consequences_count, "failure")) " from this" }
                table {
                    thead {
                        tr {
                            th.number scope="col" { "Times" }
                            th scope="col" { "What" }
                            th scope="col" { "Rank" }
                            th scope="col" { "In the log" }
                        }
                    }
                    tbody {
                        @for c in all.iter().take(MAX_CONSEQUENCES) {
                            tr {
                                td.number { (Number(c.count)) }
                                td { code { (shown(c.id)) } " " (shown(c.exception.as_deref().unwrap_or_default())) }
                                td data-name=[c.first.rank.map(|_| "rank")] { @if let Some(rank) = c.first.rank { (rank) } }
                                td { (shown(c.first.file.as_deref().unwrap_or("-"))) ":" (c.first.line) }
                            }
                        }
                    }
                }
                @if all.len() > MAX_CONSEQUENCES {
                    p.quiet { "and " (Number((all.len() - MAX_CONSEQUENCES) as u64)) " more" }
                }
            }
        }
        @if !links.is_empty() { h3 { "To read" } @for link in links { (link) } }
    }
}
