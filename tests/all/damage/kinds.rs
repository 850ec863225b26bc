//! The kinds of damage: what mails, pages, terminals and log collectors do to a text.

use std::fmt::Write;

use pickfix::traceback::{Dialect, Evidence, read};

/// What is done to a text.
pub(crate) type Damage = fn(&str) -> String;

/// One kind of damage.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The least share of failures that must still be found, in per cent.
    pub(crate) floor: usize,
    pub(crate) damage: Damage,
    /// Whether it makes a line alone a mention, or no whole message: only texts with frames count.
    pub(crate) needs_frames: bool,
}

macro_rules! prefixed {
    ($prefix:literal) => {
        |text| each_line(text, |_, line| format!(concat!($prefix, "{}"), line))
    };
}

/// All kinds, with what is found of the samples after each.
pub(crate) const KINDS: &[Kind] = &[
    kind("no head", 98, no_head),
    kind("no tail", 14, no_tail),
    kind_of_stacks("final line first", 92, final_line_first),
    kind("beginning cut off", 89, no_beginning),
    kind("exception line alone", 68, exception_alone),
    kind("no indentation", 97, no_indentation),
    kind("indented by four", 88, prefixed!("    ")),
    kind("indented by a tab", 84, prefixed!("\t")),
    kind("blanks at line ends", 98, |t| {
        each_line(t, |_, l| format!("{l}  "))
    }),
    kind("blank lines between", 98, |t| {
        each_line(t, |_, l| format!("{l}\n"))
    }),
    kind_of_stacks("cut at 80 columns", 72, cut_at_80),
    kind("wrapped at 80 columns", 64, wrapped_at_80),
    kind("angle brackets eaten", 92, no_angles),
    kind("HTML-escaped", 97, html),
    kind("on one line", 77, one_line),
    kind("JSON in a log line", 95, json_message),
    kind("JSON behind a stamp", 95, |t| {
        format!("2024-05-01 10:00:00 ERROR {}", json_message(t))
    }),
    kind("repr of bytes", 65, |t| {
        format!("worker failed: {}", bytes_repr(t))
    }),
    kind("colour codes", 98, |t| {
        each_line(t, |_, l| format!("\x1b[31m{l}\x1b[0m"))
    }),
    kind("coloured words", 72, |t| coloured_words(t, "\x1b")),
    kind("bare colour codes", 98, |t| {
        each_line(t, |_, l| format!("[31m{l}[0m"))
    }),
    kind("bare coloured words", 72, |t| coloured_words(t, "")),
    kind("spelt-out colour codes", 97, |t| {
        each_line(t, |_, l| format!("^[[31m{l}^[[0m"))
    }),
    kind("CRLF", 98, |t| each_line(t, |_, l| format!("{l}\r"))),
    kind("bar before the head", 98, |t| bar_before_head(t, "")),
    kind("redrawn bar before the head", 98, |t| {
        bar_before_head(t, "\r")
    }),
    kind("no final newline", 98, |t| t.trim_end().to_owned()),
    kind("> ", 98, prefixed!("> ")),
    kind(">, no blank", 86, prefixed!(">")),
    kind("> > ", 98, prefixed!("> > ")),
    kind_of_stacks("# ", 97, prefixed!("# ")),
    kind_of_stacks("  | ", 97, prefixed!("  | ")),
    kind("[rank3]: ", 98, prefixed!("[rank3]: ")),
    kind("[default3]:", 97, prefixed!("[default3]:")),
    kind(
        "[default3]:[rank3]: ",
        98,
        prefixed!("[default3]:[rank3]: "),
    ),
    kind("(train pid=12) ", 98, prefixed!("(train pid=12) ")),
    kind(
        "0: (EngineCore…) (RayWorker…) ",
        98,
        prefixed!("0: (EngineCore_DP0 pid=77) (RayWorkerWrapper pid=12, ip=10.0.0.2) "),
    ),
    kind("[1,0]<stderr>:", 97, prefixed!("[1,0]<stderr>:")),
    kind("node1: ", 90, prefixed!("node1: ")),
    kind("node1: [rank3]: ", 90, prefixed!("node1: [rank3]: ")),
    kind("3: ", 98, prefixed!("3: ")),
    kind("trainer-1  | ", 98, prefixed!("trainer-1  | ")),
    kind("[pod/job-0/main] ", 98, prefixed!("[pod/job-0/main] ")),
    kind(
        "logger's stamp on all",
        98,
        prefixed!("2024-05-01 10:00:00,123 ERROR train: "),
    ),
    kind(
        "loguru's stamp on all",
        98,
        prefixed!("2024-05-01 10:00:00.123 | ERROR    | train:main:12 - "),
    ),
    kind("logger's stamp on the head", 97, |t| {
        format!("2024-05-01 10:00:00,123 ERROR train: {t}")
    }),
    kind(
        "glog's stamp on all",
        98,
        prefixed!("E0501 10:00:00.123456 77 train.py:12] "),
    ),
    kind("clock on all", 97, |t| {
        each_line(t, |n, l| format!("10:{:02}:{:02} {l}", n / 60 % 60, n % 60))
    }),
    kind("bracketed stamp on all", 98, |t| {
        each_line(t, |n, l| {
            format!("[2024-05-01 10:{:02}:{:02}] {l}", n / 60 % 60, n % 60)
        })
    }),
    kind("docker", 97, |t| {
        each_line(t, |n, l| {
            format!(
                "2024-05-01T10:00:{:02}.{:09}Z {l}",
                n % 60,
                n * 1_234_567 % 1_000_000_000
            )
        })
    }),
    kind("kubectl", 97, |t| {
        each_line(t, |n, l| {
            format!(
                "2024-05-01T10:00:{:02}.{:09}Z stderr F {l}",
                n % 60,
                n * 1_234_567 % 1_000_000_000
            )
        })
    }),
    kind("kubectl, offset", 97, |t| {
        each_line(t, |n, l| {
            format!(
                "2024-05-01T10:00:{:02}.{:06}+02:00 {l}",
                n % 60,
                n * 1_234_567 % 1_000_000
            )
        })
    }),
    kind("journald", 98, |t| {
        each_line(t, |n, l| {
            format!(
                "May 01 10:{:02}:{:02} gpu-node-7 python[4711]: {l}",
                n / 60 % 60,
                n % 60
            )
        })
    }),
    kind("docker's JSON", 98, |t| {
        each_line(t, |n, l| {
            format!(
                "{{\"log\":{},\"stream\":\"stderr\",\"time\":\"2024-05-01T10:00:{:02}.1Z\"}}",
                json(&format!("{l}\n")),
                n % 60
            )
        })
    }),
    kind("stamp and rank", 98, |t| {
        each_line(t, |n, l| {
            format!(
                "2024-05-01T10:00:{:02}.{:06}Z [rank3]: {l}",
                n % 60,
                n * 1_234_567 % 1_000_000
            )
        })
    }),
    kind("line numbers", 75, |t| {
        each_line(t, |n, l| format!("{:>4}  {l}", n + 1))
    }),
    kind("line numbers and a bar", 81, |t| {
        each_line(t, |n, l| format!("{:>4} | {l}", n + 1))
    }),
    kind("backslash at line ends", 90, |t| {
        each_line(t, |_, l| format!("{l}\\"))
    }),
    kind("<br> at line ends", 90, |t| {
        each_line(t, |_, l| format!("{l}<br>"))
    }),
    kind("paragraphs of a page", 97, |t| {
        each_line(&html(t), |_, l| format!("<p>{l}</p>"))
    }),
    kind_of_stacks("rows of a table in CSV", 85, |t| {
        each_line(&t.replace('"', "\"\""), |n, l| {
            format!("\"2024-05-01T10:00:{:02}.1Z\",\"{l}\"", n % 60)
        })
    }),
    kind_of_stacks("a field of CSV", 88, |t| {
        format!("17,failed,\"{}\"\n", t.trim_end().replace('"', "\"\""))
    }),
    kind_of_stacks("seconds on all", 97, |t| {
        each_line(t, |n, l| format!("{}.{:03} {l}", n / 7, n * 37 % 1000))
    }),
    kind_of_stacks("a Markdown list", 92, prefixed!("- ")),
    kind_of_stacks("back quotes round each line", 88, |t| {
        each_line(t, |_, l| format!("`{l}`"))
    }),
    kind("bold head", 98, |t| {
        each_line(t, |_, l| {
            if is_head(l) {
                format!("**{}**", l.trim())
            } else {
                l.to_owned()
            }
        })
    }),
    kind("Python 2's arguments", 95, arguments),
    kind("[rank3]: and no beginning", 89, |t| {
        each_line(&no_beginning(t), |_, l| format!("[rank3]: {l}"))
    }),
    kind("[rank3]: and wrapped", 64, |t| {
        each_line(&wrapped_at_80(t), |_, l| format!("[rank3]: {l}"))
    }),
    kind("among other ranks", 98, among_ranks),
    kind("log lines between", 95, log_lines_between),
];

const fn kind(name: &'static str, floor: usize, damage: Damage) -> Kind {
    Kind {
        name,
        floor,
        damage,
        needs_frames: false,
    }
}

const fn kind_of_stacks(name: &'static str, floor: usize, damage: Damage) -> Kind {
    Kind {
        needs_frames: true,
        ..kind(name, floor, damage)
    }
}

fn each_line(text: &str, mut change: impl FnMut(usize, &str) -> String) -> String {
    let mut out = String::new();
    for (n, line) in text.lines().enumerate() {
        out += &change(n, line);
        out.push('\n');
    }
    out
}

fn is_head(line: &str) -> bool {
    line.contains("Traceback (most recent call last)")
}

fn no_head(text: &str) -> String {
    let lines = text.lines().filter(|l| !is_head(l));
    lines.flat_map(|l| [l, "\n"]).collect()
}

fn no_tail(text: &str) -> String {
    let count = text.lines().count();
    text.lines()
        .take(count * 2 / 3)
        .flat_map(|l| [l, "\n"])
        .collect()
}

fn no_beginning(text: &str) -> String {
    let count = text.lines().count();
    text.lines()
        .skip(count / 3)
        .flat_map(|l| [l, "\n"])
        .collect()
}

/// The final line above the frames, as loggers write it; only where one exception is told.
fn final_line_first(text: &str) -> String {
    let found = read(text.as_bytes());
    let [traceback] = found.as_slice() else {
        return text.to_owned();
    };
    let [raised] = traceback.exceptions.as_slice() else {
        return text.to_owned();
    };
    let is_plain = traceback.dialect == Dialect::Cpython && traceback.evidence > Evidence::Line;
    let Some(name) = raised.type_name.as_deref().filter(|_| is_plain) else {
        return text.to_owned();
    };
    let mut out = format!("{name}: {}\n", raised.message.join("\n"));
    for frame in &raised.frames {
        let (path, line, function) = (frame.path.as_str(), frame.line, &frame.function);
        let source = frame.source.as_deref().unwrap_or("...");
        let _ = write!(
            out,
            "  File \"{path}\", line {line}, in {function}\n    {source}\n"
        );
    }
    out
}

/// The last exception of each traceback, or the text itself where it has none.
fn exception_alone(text: &str) -> String {
    let found = read(text.as_bytes());
    let mut out = String::new();
    for raised in found.iter().filter_map(|t| t.exceptions.last()) {
        let Some(exception) = &raised.type_name else {
            continue;
        };
        out += exception;
        if !raised.message.is_empty() {
            out.push_str(": ");
            out += &raised.message.join("\n");
        }
        out.push('\n');
    }
    if out.is_empty() { text.to_owned() } else { out }
}

/// Each message as the tuple of arguments that Python 2 and some logs write: `TypeError: ('bad',)`.
/// `Caught … in DataLoader worker process 0.` stays: a traceback follows it in the same argument.
fn arguments(text: &str) -> String {
    let mut out = text.to_owned();
    for raised in read(text.as_bytes()).iter().flat_map(|t| &t.exceptions) {
        if let (Some(exception), [message]) = (&raised.type_name, raised.message.as_slice())
            && !message.starts_with("Caught ")
        {
            let repr = if message.contains('\'') && !message.contains('"') {
                format!("(\"{}\",)", message.replace('\\', "\\\\"))
            } else {
                let message = message.replace('\\', "\\\\").replace('\'', "\\'");
                format!("('{message}',)")
            };
            let line = format!("{exception}: {message}\n");
            out = out.replacen(&line, &format!("{exception}: {repr}\n"), 1);
        }
    }
    out
}

fn no_indentation(text: &str) -> String {
    each_line(text, |_, line| line.trim_start().to_owned())
}

fn cut_at_80(text: &str) -> String {
    each_line(text, |_, line| {
        let chars: Vec<char> = line.chars().collect();
        let rows = chars.chunks(80).map(|row| row.iter().collect::<String>());
        rows.collect::<Vec<_>>().join("\n")
    })
}

/// Wrapped between words, as mails are.
fn wrapped_at_80(text: &str) -> String {
    each_line(text, |_, line| {
        let mut rows = vec![String::new()];
        for word in line.split_inclusive(' ') {
            let row = rows.last_mut().expect("there is one");
            if row.chars().count() + word.trim_end().chars().count() > 80 && !row.trim().is_empty()
            {
                *row = row.trim_end().to_owned();
                rows.push(word.to_owned());
            } else {
                *row += word;
            }
        }
        rows.join("\n")
    })
}

/// As a page shows it that takes `<…>` for a tag.
fn no_angles(text: &str) -> String {
    each_line(text, |_, line| {
        let mut out = String::new();
        let mut rest = line;
        while let Some(open) = rest.find('<') {
            let tag = rest[open + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
            if let Some(close) = rest[open..].find('>').filter(|_| tag) {
                out += &rest[..open];
                rest = &rest[open + close + 1..];
            } else {
                out += &rest[..=open];
                rest = &rest[open + 1..];
            }
        }
        out + rest
    })
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    words.join(" ") + "\n"
}

pub(crate) fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => write!(out, "\\u{:04x}", u32::from(c)).expect("a string takes all"),
            c => out.push(c),
        }
    }
    out + "\""
}

fn json_message(text: &str) -> String {
    format!(
        "{{\"level\": \"error\", \"message\": {}, \"step\": 3}}\n",
        json(text.trim_end())
    )
}

fn bytes_repr(text: &str) -> String {
    let inner = json(text.trim_end());
    let inner = &inner[1..inner.len() - 1];
    if text.contains('\'') && !text.contains('"') {
        format!("b\"{inner}\"\n")
    } else {
        let inner = inner.replace("\\\"", "\"").replace('\'', "\\'");
        format!("b'{inner}'\n")
    }
}

fn coloured_words(text: &str, escape: &str) -> String {
    each_line(text, |_, line| {
        let words = line.split(' ').map(|w| {
            if w.is_empty() {
                String::new()
            } else {
                format!("{escape}[1;35m{w}{escape}[0m")
            }
        });
        words.collect::<Vec<_>>().join(" ")
    })
}

fn bar_before_head(text: &str, start: &str) -> String {
    each_line(text, |_, line| {
        if is_head(line) && line.starts_with("Traceback") {
            format!("{start}train:  36%|███▌      | 73/200 [00:00<00:00, 231.63it/s]{line}")
        } else {
            line.to_owned()
        }
    })
}

fn among_ranks(text: &str) -> String {
    each_line(text, |n, line| {
        format!(
            "[rank3]: {line}\n[rank{}]: step {n} loss 0.{n}",
            if n % 2 == 0 { 1 } else { 5 }
        )
    })
}

fn log_lines_between(text: &str) -> String {
    each_line(text, |n, line| {
        if n % 4 == 3 {
            format!("{line}\n2024-05-01 10:00:00,123 INFO train: step {n} loss 0.{n}")
        } else {
            line.to_owned()
        }
    })
}
