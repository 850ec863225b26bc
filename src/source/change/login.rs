//! Requests that log in: the client keeps the cookies that they bring.

use super::super::eval::Eval;
use super::super::syntax::Name;
use super::super::text::lists;
use super::super::value::Value;

/// Clients that keep the cookies which a request brings, and methods of theirs that send one.
const HTTP: &[&str] = &["httpx.", "aiohttp."];
const REQUESTS: &[&str] = &["get", "post", "put", "request", "send"];
/// What the path of such a request, or the method that sends it, is called.
const WORDS: &str = "login signin logon auth authenticate authorize";

/// Returns whether a value is such a client.
pub(super) fn is_client(value: &Value) -> bool {
    let is_http = |of: &str| HTTP.iter().any(|http| of.starts_with(http));
    value.may_be(|v| matches!(v, Value::Made(made) if is_http(&made.of)))
}

/// Returns whether a method of a client sends a request.
pub(super) fn is_request(method: &str) -> bool {
    REQUESTS.contains(&method)
}

/// Returns the request by which the program logs in with a client that an attribute of this name holds.
pub(super) fn login(eval: &Eval, name: &Name) -> Option<String> {
    let modules = eval.project.modules();
    modules.iter().find_map(|module| {
        module.defs.iter().find_map(|def| {
            let mut calls = def.calls();
            let found = calls.find(|call| {
                call.method().is_some_and(|(of, method)| {
                    let path = call.args.first().map_or("", |a| module.slice(a.value.at));
                    let logs_in = says_so(&def.name) || says_so(path);
                    of.is_attribute(name) && is_request(method) && logs_in
                })
            })?;
            Some(module.first_line(found.at).to_owned())
        })
    })
}

fn says_so(text: &str) -> bool {
    let text = text
        .to_ascii_lowercase()
        .replace("log_in", "login")
        .replace("sign_in", "signin");
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| lists(WORDS, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_logs_in() {
        for text in "login log_in \"/api/auth\" /session/login?next=1 sign_in_as".split(' ') {
            assert!(says_so(text), "{text}");
        }
        for text in ["/authors", "blogin", "get_token_count"] {
            assert!(!says_so(text), "{text}");
        }
    }
}
