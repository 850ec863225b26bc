//! The catalogue in docs/rules: what pickfix knows, a page for each family, made from the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pickfix::corpus::{Corpus, Page, Severity};

use super::{hold, project};

/// The most messages that are shown of a rule.
const MAX_MESSAGES: usize = 6;

#[test]
fn the_catalogue_is_that_of_the_rules() {
    let corpus = Corpus::built_in();
    let mut families: BTreeMap<String, Vec<Page>> = BTreeMap::new();
    let mut ids: Vec<&str> = corpus.ids().collect();
    ids.sort_unstable();
    for id in ids {
        let page = corpus.page(id).expect("it has been listed");
        families.entry(page.family.clone()).or_default().push(page);
    }
    hold("docs/rules/README.md", &contents(&families));
    for (family, pages) in &families {
        hold(&format!("docs/rules/{family}.md"), &chapter(family, pages));
    }
    let files = std::fs::read_dir(project().join("docs/rules")).expect("the catalogue");
    let files = files.map(|file| file.expect("a file").file_name());
    let kept: BTreeSet<String> = files
        .filter_map(|name| Some(name.to_str()?.strip_suffix(".md")?.to_owned()))
        .filter(|name| name != "README")
        .collect();
    let families: BTreeSet<String> = families.into_keys().collect();
    assert_eq!(kept, families, "docs/rules has a page of no family");
}

/// Returns the page that leads to the others.
fn contents(families: &BTreeMap<String, Vec<Page>>) -> String {
    let count: usize = families.values().map(Vec::len).sum();
    let mut text = format!(
        "# What pickfix knows\n\n{count} failures in {} families. `pickfix explain ID` tells all about one, with an example, and\n\
         `pickfix explain WORDS` finds it. These pages are made from [`corpus/`](../../corpus/README.md).\n",
        families.len()
    );
    for (family, pages) in families {
        let _ = write!(text, "\n## [{family}]({family}.md)\n\n");
        for page in pages {
            let title = prose(&page.title);
            let _ = writeln!(text, "- [`{0}`]({family}.md#{0}): {title}", page.id);
        }
    }
    text
}

/// Returns the page of a family.
fn chapter(family: &str, pages: &[Page]) -> String {
    let mut text = format!("# {family}\n\n[All families](README.md)\n");
    for page in pages {
        entry(page, &mut text);
    }
    text
}

/// Adds a rule: its messages, its cause, its fixes.
fn entry(page: &Page, text: &mut String) {
    let severity = match page.severity {
        Severity::Note => " A note.",
        Severity::Warning => " A warning.",
        Severity::Error => "",
    };
    let _ = write!(
        text,
        "\n## {}\n\n**{}.**{severity}\n",
        page.id,
        capitalised(&prose(&page.title))
    );
    let lines = page.forms.iter().flat_map(|form| &form.lines);
    let mut seen = BTreeSet::new();
    let messages: Vec<&str> = lines
        .map(String::as_str)
        .filter(|line| seen.insert(*line))
        .take(MAX_MESSAGES)
        .collect();
    if !messages.is_empty() {
        let _ = write!(text, "\n```text\n{}\n```\n", messages.join("\n"));
    }
    let _ = write!(text, "\n{}\n\n", prose(&page.cause));
    for fix in page.fixes.iter().filter(|fix| !fix.told.text.is_empty()) {
        let advice = prose(fix.told.text.trim_end());
        let code = fix.told.code.as_deref().map(str::trim_end);
        let when = match (fix.also, prose(&fix.when)) {
            (true, when) if when.is_empty() => "Another way: ".to_owned(),
            (true, when) => format!("Another way, *{when}*: "),
            (false, when) if when.is_empty() => String::new(),
            (false, when) => format!("*{}*: ", capitalised(&when)),
        };
        let _ = writeln!(text, "- {when}{advice}");
        if let Some(code) = code {
            *text += &item(&format!("\n```python\n{code}\n```\n"));
        }
    }
    let _ = write!(
        text,
        "\nIn full, with an example: `pickfix explain {}`.",
        page.id
    );
    for link in &page.links {
        let _ = write!(text, " <{link}>");
    }
    text.push('\n');
}

/// Returns lines as a part of a list's item.
fn item(lines: &str) -> String {
    let indented = lines.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("  {line}\n"),
    });
    indented.collect()
}

/// Makes Markdown of prose with code in back quotes: outside it, `<` is itself.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(n, part)| {
        if n % 2 == 1 {
            return format!("`{part}`");
        }
        part.replace('<', "\\<").replace('\n', " ")
    });
    parts.collect()
}

/// Begins a text as a sentence, unless it begins with a name.
fn capitalised(text: &str) -> String {
    let word = text.split([' ', ',', ':']).next().unwrap_or_default();
    let is_name = word.contains(['.', '_', '`', '(', '=']);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !is_name => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
