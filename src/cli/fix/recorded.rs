//! The failures of a file that `--report` wrote: the source is asked again, from what it tells.

use serde_json::Value;

use super::Remedy;
use crate::source::Sources;
use crate::traceback::facts::{Facts, Via};
use crate::traceback::{Exception, Frame, Traceback};

/// Returns the incidents of a report; `None` if the text is none.
pub(super) fn incidents(text: &[u8]) -> Option<Vec<Value>> {
    let text = std::str::from_utf8(text).ok()?;
    let incidents: Vec<Value> = match serde_json::from_str(text) {
        Ok(Value::Array(all)) => all,
        Ok(one) => vec![one],
        Err(_) => {
            let lines = text.lines().filter(|l| !l.trim().is_empty());
            lines
                .map(serde_json::from_str)
                .collect::<Result<_, _>>()
                .ok()?
        }
    };
    let is_incident = |v: &Value| v["schema"].is_u64() && v["exception"].is_object();
    (!incidents.is_empty() && incidents.iter().all(is_incident)).then_some(incidents)
}

/// Asks the source again what would fix an incident: its one frame tells less than all did.
pub(super) fn remedy(incident: &Value, sources: Option<&Sources>) -> Remedy {
    let at = &incident["user_frame"];
    let line = at["line"].as_u64().and_then(|n| u32::try_from(n).ok());
    let frame = line.map(|line| Frame {
        path: text(&at["file"]).as_str().into(),
        line,
        function: text(&at["function"]),
        source: at["source"].as_str().map(str::to_owned),
        ..Frame::default()
    });
    let message = text(&incident["exception"]["message"]);
    let exception = Exception {
        type_name: incident["exception"]["type"].as_str().map(str::to_owned),
        message: message.lines().map(str::to_owned).collect(),
        frames: frame.clone().into_iter().collect(),
        ..Exception::default()
    };
    let facts = Facts {
        via: incident["facts"]["via"].as_str().and_then(Via::named),
        user_frame: frame,
        ..Facts::default()
    };
    let traceback = Traceback {
        exceptions: vec![exception],
        ..Traceback::default()
    };
    let object = sources.and_then(|s| s.object(&traceback, 0, &facts));
    let [id, place] = id_and_place(incident);
    Remedy::new(id, place, object)
}

/// Returns the id of the rule that knows an incident, and its place: `train.py:47`.
pub(super) fn id_and_place(incident: &Value) -> [String; 2] {
    let at = &incident["user_frame"];
    let line = at["line"].as_u64();
    let place = line.map(|line| format!("{}:{line}", text(&at["file"])));
    [text(&incident["id"]), place.unwrap_or_default()]
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
