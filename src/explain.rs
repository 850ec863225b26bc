//! What `pickfix explain` and `pickfix rules list` show: a rule in full, or all of them.

use std::collections::BTreeMap;

use crate::corpus::{Confidence, Corpus, Failure, Page, PageFix, Rule, Sample};
use crate::render::capitalised;
use crate::render::finder::FINDER;
use crate::render::page::Element;
use crate::visible::visible;

/// The family whose failures leave the reader to look for an object.
const PICKLE: &str = "pickle";
/// The most lines of an example that are shown.
const MAX_LINES: usize = 24;
/// How many of its first lines are shown where it is longer.
const FIRST_LINES: usize = 4;

/// A text that the rule recognises, and what pickfix says about it.
#[derive(Clone, Debug)]
pub(crate) struct DiagnosedSample<'c> {
    /// The text.
    pub sample: Sample,
    /// What was found in it.
    pub failure: Failure<'c>,
}

/// Puts together the page of a rule.
///
/// `asked` is the failure that the reader pasted, if it was that; `example` one of the rule's own.
pub(crate) fn page<'c>(
    page: &Page,
    asked: Option<Failure<'c>>,
    example: Option<DiagnosedSample<'c>>,
) -> Vec<Element<'c>> {
    let mut elements = vec![
        Element::Title(format!("{}: {}", page.id, page.title)),
        Element::Text(about(page)),
    ];
    if let Some(failure) = asked {
        elements.push(Element::Heading("Your message".to_owned()));
        elements.push(Element::Annotation(Box::new(failure)));
    }
    elements.push(Element::Heading("Why".to_owned()));
    elements.push(Element::Text(page.cause.clone()));
    let ways = page.fixes.iter().filter(|fix| !is_finder(fix));
    let (general, special): (Vec<_>, Vec<_>) = ways.partition(|fix| fix.when.is_empty());
    if !general.is_empty() {
        elements.push(Element::Heading("What to do".to_owned()));
    }
    for fix in general {
        way(fix, &mut elements);
    }
    find(page, &mut elements);
    if let Some(explain) = &page.explain {
        elements.push(Element::Heading("More about it".to_owned()));
        elements.push(Element::Markdown(explain.clone()));
    }
    if let Some(DiagnosedSample { sample, failure }) = example {
        elements.push(Element::Heading("Example".to_owned()));
        let python = sample.python.map(|p| format!(" (Python {p})"));
        // Some names tell the version themselves.
        let python = python.filter(|p| !sample.name.contains(p.trim_matches([' ', '(', ')'])));
        elements.push(Element::Text(format!(
            "{}{}. Printed:",
            capitalised(&sample.name),
            python.unwrap_or_default()
        )));
        elements.push(Element::Code("text", shortened(&sample.input)));
        elements.push(Element::Text("What pickfix adds:".to_owned()));
        elements.push(Element::Annotation(Box::new(failure)));
    }
    cases(page, special, &mut elements);
    forms(page, &mut elements);
    if !page.links.is_empty() {
        elements.push(Element::Heading("Links".to_owned()));
        elements.extend(page.links.iter().cloned().map(Element::Link));
    }
    elements
}

/// Puts together the list of all rules, by family.
pub(crate) fn list(corpus: &Corpus) -> Vec<Element<'static>> {
    let mut families: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in corpus.rules() {
        families.entry(&rule.family).or_default().push(rule);
    }
    let mut elements = Vec::new();
    for (family, mut rules) in families {
        rules.sort_by_key(|rule| &rule.id);
        elements.push(Element::Heading(family.to_owned()));
        elements.extend(
            rules
                .into_iter()
                .map(|r| Element::Row(r.id.clone(), r.title_words())),
        );
    }
    elements.push(Element::Text(
        "One of them in full: `pickfix explain ID`. The one that fits a message: `pickfix explain 'MESSAGE'`."
            .to_owned(),
    ));
    elements
}

/// Returns the rules as a table: id, family, severity, title; one line each.
pub(crate) fn table(corpus: &Corpus) -> String {
    let mut rules: Vec<&Rule> = corpus.rules().collect();
    rules.sort_by_key(|rule| (&rule.family, &rule.id));
    let width = |of: fn(&Rule) -> &str| rules.iter().map(|r| of(r).len()).max().unwrap_or(0);
    let (ids, families) = (width(|r| &r.id), width(|r| &r.family));
    let row = |r: &&Rule| {
        let (id, family, severity) = (&r.id, &r.family, r.severity.name());
        let title = r.title_words();
        visible(&format!(
            "{id:<ids$}  {family:<families$}  {severity:<7}  {title}"
        )) + "\n"
    };
    rules.iter().map(row).collect()
}

fn about(page: &Page) -> String {
    let sure = match page.confidence {
        Confidence::Certain => "",
        Confidence::Likely => "; the text allows another reading",
    };
    let formerly = match page.formerly.join(", ") {
        names if names.is_empty() => names,
        names => format!("; formerly {names}"),
    };
    format!(
        "{} of the family {}{sure}{formerly}.",
        capitalised(page.severity.name()),
        page.family
    )
}

/// Puts causes and fixes of the same circumstances together.
fn cases(page: &Page, mut left: Vec<&PageFix>, elements: &mut Vec<Element>) {
    let mut cases: Vec<(&str, Option<&str>, Vec<&PageFix>)> = Vec::new();
    for other in &page.causes {
        let own;
        (own, left) = left.into_iter().partition(|fix| fix.when == other.when);
        cases.push((&other.when, Some(&other.text), own));
    }
    cases.extend(left.into_iter().map(|fix| (&*fix.when, None, vec![fix])));
    if cases.is_empty() {
        return;
    }
    elements.push(Element::Heading("Special cases".to_owned()));
    elements.push(Element::Text(
        "What pickfix says instead where the text shows more.".to_owned(),
    ));
    for (when, cause, fixes) in cases {
        elements.push(Element::Subheading(format!("{}:", capitalised(when))));
        elements.extend(cause.map(|cause| Element::Text(cause.to_owned())));
        for fix in fixes {
            way(fix, elements);
        }
    }
}

/// Adds the lines that it is known by, each once, and the circumstances where no line shows it.
fn forms(page: &Page, elements: &mut Vec<Element>) {
    elements.push(Element::Heading("How to recognise it".to_owned()));
    let mut lines: Vec<&str> = Vec::new();
    for line in page.forms.iter().flat_map(|form| &form.lines) {
        if !lines.contains(&line.as_str()) {
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        elements.push(Element::Code("text", lines.join("\n")));
    }
    let without = page.forms.iter().filter(|form| form.lines.is_empty());
    elements.extend(without.map(|form| Element::Text(capitalised(&form.when))));
}

fn way(fix: &PageFix, elements: &mut Vec<Element>) {
    let text = fix.told.text.clone();
    elements.push(Element::Text(if fix.also {
        format!("Another way: {text}")
    } else {
        text
    }));
    if let Some(code) = &fix.told.code {
        elements.push(Element::Code("python", code.clone()));
    }
    if let Some(check) = &fix.told.check {
        elements.push(Element::Text(format!("Check: {check}")));
    }
    if let Some(not) = &fix.told.not {
        elements.push(Element::Text(format!("Not: {not}")));
    }
}

fn is_finder(fix: &PageFix) -> bool {
    fix.told.name.as_deref() == Some(FINDER)
}

/// Adds how to find the object, where a failure does not name it.
fn find(page: &Page, elements: &mut Vec<Element>) {
    let own = page.fixes.iter().find(|fix| is_finder(fix));
    if own.is_none() && page.family != PICKLE {
        return;
    }
    elements.push(Element::Heading("How to find the object".to_owned()));
    elements.push(Element::Text(
        "Python 3.14 and later tell the way to it below the message (`when serializing …`); read it from the last line up. Older ones do not name the part."
            .to_owned(),
    ));
    if let Some(own) = own.filter(|_| page.family != PICKLE) {
        way(own, elements);
    }
    elements.push(Element::Text(
        "`pickfix finder > find_unpicklable.py` writes a program that names every such part of an object, here of `dataset`:"
            .to_owned(),
    ));
    elements.push(Element::Code("python", BY_FINDER.to_owned()));
}

/// How the finder is used.
const BY_FINDER: &str = "from find_unpicklable import explain\nexplain(dataset)";

/// Cuts the middle out of a long example.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    if lines.len() <= MAX_LINES {
        return lines.join("\n");
    }
    let (first, rest) = lines.split_at(FIRST_LINES);
    let last = &rest[rest.len() - (MAX_LINES - FIRST_LINES - 1)..];
    [first, &["  …"], last].concat().join("\n")
}
