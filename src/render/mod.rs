//! Drawing (provisional).
pub mod json;
use crate::incident::Say;
/// Draws annotations.
#[derive(Debug)]
pub struct Annotator;
impl Annotator {
    /// Whether it writes colour.
    pub fn is_coloured(&self) -> bool { false }
    /// Draws one.
    pub fn draw(&self, say: &Say<'_>, inside: bool) -> Vec<u8> {
        let m = if inside { "▎⏎" } else { "▎" };
        match say {
            Say::Root(d) => { let t = d.told(); format!("{m} pickfix: {}  [{}]\n▎ {}\n", t.title, d.rule.id, t.cause.replace('\n', " ")) }
            Say::Again { id, count, .. } => format!("{m} pickfix: same failure again, {count} times in all  [{id}]\n"),
            Say::Consequence { id, root_title, .. } => format!("{m} pickfix: consequence of {root_title} above  [{id}]\n"),
        }.into_bytes()
    }
}
