//! The page of `--format html`: as a text, and as a browser shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::program::{LOCK, check, folder, folder_of_logs, pickfix, stdout, write};

/// How long a browser may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a rank prints whose peer is gone.
pub(crate) const PEER: &str = "\
Traceback (most recent call last):
  File \"/home/ada/project/train.py\", line 70, in main
    loss.backward()
  File \"/usr/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py\", line 2050, in all_reduce
    work.wait()
RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:3333
";

/// A job of four ranks, of which rank 2 fails first.
pub(crate) fn job(name: &str) -> PathBuf {
    let folder = folder(name);
    for rank in 0..4 {
        let mut log = String::new();
        for step in 0..40 {
            let _ = writeln!(
                log,
                "2026-05-01 10:00:{step:02},000 INFO train: step {step}"
            );
        }
        if rank == 2 {
            log += "2026-05-01 10:00:41,000 INFO train: step 41\n";
            log += LOCK;
        } else {
            let _ = writeln!(log, "2026-05-01 10:00:4{},500 INFO train: end", rank + 3);
            log += PEER;
        }
        write(&folder, [(format!("rank_{rank}.log").as_str(), log)]);
    }
    folder
}

/// Fails if the tags of a page are not those of a tree, or a link leads nowhere.
fn assert_sound(page: &str) {
    const ATTRIBUTES: [&str; 20] = [
        "aria-hidden",
        "aria-label",
        "aria-labelledby",
        "charset",
        "class",
        "colspan",
        "content",
        "data-name",
        "href",
        "html",
        "http-equiv",
        "id",
        "lang",
        "name",
        "open",
        "role",
        "scope",
        "style",
        "tabindex",
        "title",
    ];
    const EMPTY: [&str; 5] = ["meta", "br", "wbr", "link", "!DOCTYPE"];
    let (mut open, mut ids) = (Vec::new(), BTreeSet::new());
    let body = page.split("<style>").next().unwrap_or_default().to_owned()
        + page.split("</style>").nth(1).expect("a body");
    let (body, script) = body.split_once("<script>").expect("the filter");
    assert!(script.ends_with("</script></body>\n</html>\n"), "{script}");
    let body = format!("{body}</body></html>");
    let mut targets = BTreeSet::new();
    for piece in body.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("each tag ends");
        let name = tag.split_whitespace().next().expect("a name");
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{piece}");
        } else if !EMPTY.contains(&name) {
            open.push(name);
        }
        let value = |key: &str| {
            let rest = tag.split_once(&format!(" {key}=\""))?.1;
            rest.split('"').next()
        };
        if let Some(id) = value("id") {
            assert!(ids.insert(id.to_owned()), "{id} twice");
        }
        let links = value("href").into_iter().chain(value("aria-labelledby"));
        for link in links.filter(|link| !link.starts_with("https://")) {
            targets.insert(link.trim_start_matches('#').to_owned());
        }
        let unquoted: String = tag.split('"').step_by(2).collect();
        for attribute in unquoted.split(' ').skip(1) {
            let name = attribute.trim_end_matches(['=', '/']);
            assert!(ATTRIBUTES.contains(&name), "{name} in {tag}");
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    let missing: Vec<_> = targets.difference(&ids).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(page.matches("<script").count(), 1);
    for word in ["@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
}

#[test]
fn the_page_of_all_dialects_is_sound() {
    let folder = folder_of_logs("html-all");
    let page = check(&folder, &["--format", "html", "."]);
    assert_sound(&page);
    let jsonl = check(&folder, &["--format", "jsonl", "."]);
    let shown = page.matches("<details class=\"card incident").count();
    assert_eq!(shown, jsonl.lines().count());
    assert!(page.contains("<h2 id=\"unknown\">"));
    let unknown = check(&folder, &["--format", "jsonl", "--unknown", "."])
        .lines()
        .filter(|line| line.contains("\"id\":null"))
        .count();
    let folded = page.matches("<details class=\"case\"").count();
    assert_eq!(folded, unknown, "each with its traceback");
    assert_sound(&check(&folder, &["--format", "html", "pickfix.toml"]));
}

#[test]
fn the_failure_that_came_first_is_told_and_shown_with_its_traceback() {
    let folder = job("html-job");
    let page = check(&folder, &["--format", "html", "."]);
    assert_sound(&page);
    assert!(
        page.contains("<strong>Rank 2 failed first</strong>"),
        "{page}"
    );
    assert!(page.contains("2026-05-01 10:00:41"));
    assert_eq!(page.matches("<td data-name=\"rank\">").count(), 3);
    assert!(
        page.contains("File &quot;train.py&quot;, line 47, in train\n    for batch in loader:")
    );
    assert!(page.contains("<pre class=\"copy\"") && page.contains("def __getstate__(self):\n"));
    // As below a traceback in the stream.
    assert!(
        page.contains("<code>pickfix finder &gt; find_unpicklable.py</code>, then")
            && page.contains("explain(WHAT_IS_SENT)"),
        "{page}"
    );
}

#[test]
fn the_same_failure_on_another_rank_may_have_been_the_first() {
    let folder = folder("html-repeat-first");
    let log = |second| format!("2026-05-01 10:00:{second},000 ERROR train: step\n{LOCK}");
    write(
        &folder,
        [("rank_0.log", log("40")), ("rank_1.log", log("07"))],
    );
    let page = check(&folder, &["--format", "html", "."]);
    assert_sound(&page);
    assert!(
        page.contains("<strong>Rank 1 failed first</strong>"),
        "{page}"
    );
    assert!(page.contains("2026-05-01 10:00:07"), "{page}");
}

/// A traceback that no rule knows.
const UNKNOWN: &str = "\
Traceback (most recent call last):
  File \"train.py\", line 12, in main
    model = Model(config)
config.Missing: no <key> in it
";

#[test]
fn a_failure_that_no_rule_knows_is_shown_with_its_own_lines() {
    let folder = folder("html-unknown");
    let mut log = String::new();
    // Two ranks write at once.
    for line in UNKNOWN.lines() {
        let _ = writeln!(log, "[rank3]: {line}\n[rank0]: INFO step");
    }
    write(&folder, [("job.log", &log), ("alone.log", &UNKNOWN.into())]);
    let page = check(&folder, &["--format", "html", "."]);
    assert_sound(&page);
    let (_, cases) = page.split_once("<h2 id=\"unknown\">").expect("the part");
    assert!(
        cases.contains(
            "<summary><strong>config.Missing</strong>: no &lt;key&gt; in it \
             <span class=\"about\">2 times (rank 3), in 2 files · train.py:12 in main() · alone.log:1"
        ),
        "{cases}"
    );
    let page = check(&folder, &["--format", "html", "job.log"]);
    assert!(
        page.contains(
            "<p class=\"quiet\">3 lines between them, which others wrote, are left out.</p>"
        ),
        "{page}"
    );
    assert!(page.contains(
        "    model = Model(config)\n[rank3]: config.Missing: no &lt;key&gt; in it</code></pre>"
    ));
    assert!(!page.contains("INFO step"));
}

#[test]
fn compressed_logs_and_standard_input_have_no_traceback_to_show() {
    let folder = folder("html-no-text");
    let input = format!("{LOCK}{UNKNOWN}");
    let output = pickfix(
        &folder,
        &["check", "--format", "html", "-"],
        input.as_bytes(),
    );
    let page = stdout(&output);
    assert_sound(page);
    assert!(page.contains("unpicklable-lock") && page.contains("config.Missing"));
    assert!(!page.contains("<pre class=\"log\"") && !page.contains("<details class=\"case\""));
}

#[test]
fn nothing_in_a_log_becomes_markup() {
    let folder = folder("html-hostile");
    let log = LOCK.replace("train.py", "<script>alert(1)</script>\u{202e}&\"'.py")
        + "Traceback (most recent call last):\n  File \"x.py\", line 1, in <img src=x onerror=y>\n    f()\n\
           ValueError: </pre><script>alert(2)</script> \u{1b}]0;title\u{7}\n";
    write(&folder, [("<b>&.log", log)]);
    let page = check(&folder, &["--format", "html", "."]);
    assert_sound(&page);
    assert!(!page.contains("<img") && !page.contains("<b>"));
    assert!(!page.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'));
    assert!(page.contains("&lt;script&gt;alert(2)"), "{page}");
}

#[test]
fn a_page_is_bounded() {
    let folder = folder("html-bounded");
    let mut log = String::new();
    for line in 1..=900 {
        log += &LOCK.replace("line 47, in train", &format!("line {line}, in train"));
    }
    for line in 1..=300 {
        let _ = write!(
            log,
            "Traceback (most recent call last):\n  File \"x.py\", line {line}, in f\n    g()\nValueError: {line}\n"
        );
    }
    write(&folder, [("job.log", log)]);
    let page = check(&folder, &["--format", "html", "job.log"]);
    assert_sound(&page);
    assert!(
        page.contains("<h1>900 errors in 1 file; 300 failures"),
        "{}",
        &page[..4000]
    );
    assert_eq!(page.matches("<details class=\"card incident").count(), 500);
    assert!(
        page.contains("400 more are left out here") && page.contains("100 more are left out here")
    );
    assert!(page.len() < 8 << 20, "{} bytes", page.len());
}

/// Finds a browser; says so aloud where there is none.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let found = names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|v| v.status.success())
    });
    if found.is_none() {
        eprintln!("SKIPPED: no chromium here (on Debian: apt-get install chromium)");
    }
    found
}

/// Runs it over a page and gives what it prints.
fn browse(browser: &str, page: &Path, words: &[&str]) -> String {
    let profile = page.with_extension("profile");
    let fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
    ];
    let mut child = Command::new(browser)
        .args(fixed)
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(words)
        .arg(format!("file://{}", page.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut out = child.stdout.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let since = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if since.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("{browser} takes longer than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = reader.join().expect("no panic").expect("text");
    let _ = fs::remove_dir_all(profile);
    text
}

/// What a phone and a desk show: a frame of a width, and what sticks out of it.
const MEASURE: &str = r#"
<pre id="result"></pre>
<script>
onload = () => {
  const told = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, width = page.documentElement.clientWidth;
    page.querySelectorAll("details").forEach(e => e.open = true);
    const out = [...page.querySelectorAll("body *")].filter(e => {
      if (e.closest("pre, .hidden, .skip, thead")) return false;
      const box = e.getBoundingClientRect();
      return box.width > 0 && (box.right > width + 1 || box.left < -1);
    });
    const seen = [...page.querySelectorAll("details.incident[open] h2")].filter(e => e.getBoundingClientRect().height > 10);
    const box = page.querySelector("header input"), put = new Event("input");
    const count = words => {
      if (box) { box.value = words; box.dispatchEvent(put); }
      return page.querySelectorAll(".incident:not([hidden])").length;
    };
    const filtered = `${count("LOCK unpicklable-lock") > 0},${count("no-such-words")},${count("")}`;
    const focus = page.querySelectorAll("a[href], summary, [tabindex='0']").length;
    Object.assign(told, {[frame.id]:
      `scrolls=${page.documentElement.scrollWidth > width} out=${out.map(e => e.tagName + "." + e.className)} seen=${seen.length} title=${page.title} filtered=${filtered} focus=${focus} end`});
  }
  document.getElementById("result").textContent = Object.entries(told).map(([k, v]) => `${k}: ${v}`).join("\n");
};
</script>
"#;

#[test]
fn a_browser_shows_it_all_on_a_phone_and_on_a_desk() {
    let Some(browser) = browser() else { return };
    let folder = folder_of_logs("html-browser");
    let long = format!("{}.log", "a-very-long-name_without-any-blank".repeat(5));
    write(&folder, [(long.as_str(), LOCK)]);
    let page = check(&folder, &["--format", "html", "."]);
    let incidents = page.matches("<details class=\"card incident").count();
    // A script that got into the page must not run.
    let with_script = page.replace("</body>", "<script>document.title = 'ran'</script></body>");
    let quoted = with_script.replace('&', "&amp;").replace('"', "&quot;");
    let mut frames = String::from("<!DOCTYPE html>\n");
    for (id, width) in [("phone", 390), ("narrow", 320), ("desk", 1280)] {
        let _ = write!(
            frames,
            "<iframe id=\"{id}\" style=\"width:{width}px;height:844px;border:0\" srcdoc=\"{quoted}\"></iframe>"
        );
    }
    let path = folder.join("frames.html");
    fs::write(&path, frames + MEASURE).expect("it can be written");
    let dom = browse(
        browser,
        &path,
        &["--dump-dom", "--virtual-time-budget=10000"],
    );
    let result = dom
        .split("<pre id=\"result\">")
        .nth(1)
        .and_then(|rest| rest.split("</pre>").next())
        .expect("a result");
    let told: BTreeMap<&str, &str> = result.lines().filter_map(|l| l.split_once(": ")).collect();
    for id in ["phone", "narrow", "desk"] {
        let told = told.get(id).unwrap_or_else(|| panic!("{id} in {result:?}"));
        assert!(told.starts_with("scrolls=false out= "), "{id}: {told}");
        assert!(
            told.contains(&format!(" seen={incidents} ")),
            "{id}: {told}"
        );
        assert!(told.contains(" title=pickfix: "), "{id}: {told}");
        // The page's own script is the one that its policy allows.
        assert!(
            told.contains(&format!(" filtered=true,0,{incidents} ")),
            "{id}: {told}"
        );
    }
}

/// Returns the size of a picture and how many of its rows differ from each other.
fn picture(png: &[u8]) -> (u32, u32, usize) {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    let (width, height) = (number(16), number(20));
    let (mut at, mut packed) = (8, Vec::new());
    while at < png.len() {
        let len = number(at) as usize;
        if &png[at + 4..at + 8] == b"IDAT" {
            packed.extend_from_slice(&png[at + 8..at + 8 + len]);
        }
        at += len + 12;
    }
    let mut rows = Vec::new();
    flate2::read::ZlibDecoder::new(packed.as_slice())
        .read_to_end(&mut rows)
        .expect("pixels");
    let kinds: BTreeSet<&[u8]> = rows.chunks(rows.len() / height as usize).collect();
    (width, height, kinds.len())
}

#[test]
fn a_screenshot_is_not_blank() {
    let Some(browser) = browser() else { return };
    let folder = job("html-screenshot");
    let page = folder.join("page.html");
    fs::write(&page, check(&folder, &["--format", "html", "."])).expect("it can be written");
    let shot = folder.join("page.png");
    let to = format!("--screenshot={}", shot.display());
    browse(browser, &page, &[&to, "--window-size=1280,1600"]);
    let (width, height, kinds) = picture(&fs::read(&shot).expect("a picture"));
    assert_eq!((width, height), (1280, 1600));
    assert!(kinds > 300, "{kinds} kinds of rows");
}
