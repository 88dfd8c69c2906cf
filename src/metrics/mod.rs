//! One sink for every room: metrics as JSON lines, and how far a long step has come. Drawing
//! belongs to `ui/`.

pub mod journal;

/// A long step that reports how far it is. Implemented by `ui/`; `()` reports nothing.
pub trait Progress: Send + Sync {
    /// A step begins; `total` is its length in `unit`s, if known.
    fn begin(&self, title: &str, unit: &str, total: Option<u64>);
    /// The step stands at `done` units.
    fn set(&self, done: u64);
    /// A few words beside the bar: rates, losses.
    fn note(&self, text: &str);
    /// The step is over; `summary` stays on the screen.
    fn end(&self, summary: &str);
    /// A line that stays on the screen above the bars.
    fn say(&self, line: &str);
}

impl Progress for () {
    fn begin(&self, _title: &str, _unit: &str, _total: Option<u64>) {}
    fn set(&self, _done: u64) {}
    fn note(&self, _text: &str) {}
    fn end(&self, _summary: &str) {}
    fn say(&self, _line: &str) {}
}
