//! The form of VS Code's debugger (debugpy): the type and the message above the frames, the innermost of
//! which is the first.

use super::exception::{exception_line, looks_named};

/// `Exception has occurred: RuntimeError`, VS Code's line above the message and the frames, and what
/// debugpy puts behind the type.
pub(super) fn head(line: &str) -> Option<&str> {
    const WORDS: [&str; 3] = [
        "Exception has occurred: ",
        "发生异常: ",
        "例外が発生しました: ",
    ];
    let name = WORDS.iter().find_map(|words| line.strip_prefix(words))?;
    let name = name.split("  ").next().unwrap_or(name).trim_end();
    let found = exception_line(name)?;
    (found.message.is_none() && looks_named(name)).then_some(found.type_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editors_head_names_the_type_alone() {
        let note = "       (note: full exception trace is shown but execution is paused at: f)";
        for (line, expected) in [
            ("Exception has occurred: OSError", Some("OSError")),
            (
                &format!("Exception has occurred: OSError{note}"),
                Some("OSError"),
            ),
            ("发生异常: RuntimeError", Some("RuntimeError")),
            ("Exception has occurred: OSError: no file", None),
            ("Exception has occurred: while reading", None),
        ] {
            assert_eq!(head(line), expected, "{line}");
        }
    }
}
