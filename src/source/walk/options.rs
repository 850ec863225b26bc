//! What an `argparse.Namespace` holds that is no data: a stream as the default, an opened file.

use super::super::syntax::{Call, Expr};
use super::super::value::{Env, Value};
use super::{At, Walk};

/// What gives the namespace.
pub(super) const PARSES: &str = "argparse.ArgumentParser().parse_args";
/// What opens the file that an option names.
const OPENS: &str = "argparse.FileType";

impl Walk<'_, '_> {
    /// Walks over the options that the program defines.
    pub(super) fn options(&mut self, at: &At) {
        for (id, module) in self.eval.project.defs() {
            let env = self.eval.scope(id);
            let calls = module.defs[id.def].statement_exprs().flat_map(Expr::calls);
            for call in calls.filter(|c| c.func.is_attribute("add_argument")) {
                self.option(call, &env, at);
            }
        }
    }

    fn option(&mut self, call: &Call, env: &Env, at: &At) {
        let given = |label: &str| call.labelled(label).map(|a| &a.value);
        let Some(name) = name(call) else {
            return;
        };
        let mut here = at.clone();
        here.path = format!("{}.{name}", at.path);
        here.module = env.at.module;
        here.holder = None;
        if let Some(default) = given("default") {
            let value = self.eval.eval(default, env);
            let of = match &value {
                Value::Outside(of, None) => Some(of),
                Value::Made(made) => Some(&made.of),
                _ => None,
            };
            if let Some(of) = of.filter(|of| self.holds(of)) {
                here.place = default.at;
                return self.suspect(of.to_string(), &here, None);
            }
        }
        let Some(opens) = given("type") else {
            return;
        };
        // Without a name of a file there is none.
        here.is_sure = false;
        let is_file = matches!(self.eval.eval(opens, env), Value::Made(m) if &*m.of == OPENS);
        if is_file && self.holds("open") {
            here.place = opens.at;
            self.suspect(OPENS.to_owned(), &here, None);
        }
    }
}

/// Returns the attribute that an option sets: `log_file` for `"-l", "--log-file"`.
fn name(call: &Call) -> Option<String> {
    if let Some(dest) = call.labelled("dest") {
        return dest.value.text().map(str::to_owned);
    }
    let flags = call.args.iter().filter(|a| a.label.is_none());
    let flags: Vec<&str> = flags.filter_map(|a| a.value.text()).collect();
    let long = flags.iter().find(|f| f.starts_with("--"));
    let flag = long.or_else(|| flags.first())?;
    Some(flag.trim_start_matches('-').replace('-', "_"))
}
