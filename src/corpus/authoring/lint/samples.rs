//! The form of the samples: what they say they are, and what they refer to.

use super::Lint;
use crate::corpus::rule::file::Texts;

impl Lint<'_> {
    pub(super) fn samples(&mut self) {
        let file = self.file;
        if file.example.is_empty() {
            self.fault(0, "there is no [[example]]; write at least one");
        }
        if file.non_example.is_empty() {
            self.fault(0, "there is no [[non_example]]; write at least one");
        }
        let seen = file.seen.iter().map(|s| (s.span().start, s.get_ref()));
        let seen_in = file
            .example
            .iter()
            .filter_map(|e| Some((e.span().start, e.get_ref().seen.as_ref()?)));
        for (offset, seen) in seen.chain(seen_in).filter(|(_, s)| *s != "report") {
            self.fault(
                offset,
                format!("seen = \"{seen}\", and only \"report\" has a meaning"),
            );
        }
        for example in &file.example {
            let (offset, example) = (example.span().start, example.get_ref());
            if let Some(version) = &example.python
                && !version.split('.').all(|n| n.parse::<u8>().is_ok())
            {
                self.fault(
                    offset,
                    format!("python = \"{version}\" is no version (\"3.14\")"),
                );
            }
            let names: Vec<&str> = file
                .fix
                .iter()
                .filter_map(|f| f.get_ref().name.as_deref())
                .collect();
            if let Some(fix) = &example.fix
                && !names.contains(&fix.as_str())
            {
                self.fault(
                    offset,
                    format!("there is no fix \"{fix}\"; there are: {}", names.join(", ")),
                );
            }
            let unknown = Texts::iter(&example.also).filter(|id| !self.neighbours.ids.contains(id));
            let unknown: Vec<String> = unknown
                .map(|id| format!("there is no rule \"{id}\""))
                .collect();
            for message in unknown {
                self.fault(offset, message);
            }
        }
    }
}
