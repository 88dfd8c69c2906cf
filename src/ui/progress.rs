//! How far long steps have come: bars on a terminal, a plain line now and then elsewhere. Writes
//! to the standard error, so that the standard output stays what the command is asked for.

use crate::metrics::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Plain lines come at most this often.
const QUIET: Duration = Duration::from_secs(5);

/// Bars on a terminal; elsewhere plain lines.
pub fn to_stderr() -> Box<dyn Progress> {
    if std::io::stderr().is_terminal() {
        Box::new(Bars::default())
    } else {
        Box::new(Lines::new(Box::new(std::io::stderr()), QUIET))
    }
}

/// Bars on a terminal, with rate and time left. Steps may stand within steps; what is reported
/// belongs to the innermost.
#[derive(Default)]
pub struct Bars {
    all: MultiProgress,
    open: Mutex<Vec<ProgressBar>>,
}

impl Bars {
    fn innermost(&self, act: impl FnOnce(&ProgressBar)) {
        if let Some(bar) = lock(&self.open).last() {
            act(bar);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The look of a bar, or of a step of unknown length.
fn look(unit: &str, known: bool) -> ProgressStyle {
    let unit = unit.replace(['{', '}'], "");
    let template = if known {
        format!(
            "{{prefix:.bold}} {{bar:28.cyan/dim}} {{human_pos}}/{{human_len}} {unit} \
             {{per_sec}} {{eta}} left {{wide_msg}}"
        )
    } else {
        format!("{{prefix:.bold}} {{spinner}} {{human_pos}} {unit} {{per_sec}} {{wide_msg}}")
    };
    ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━━─")
}

impl Progress for Bars {
    fn begin(&self, title: &str, unit: &str, total: Option<u64>) {
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::new_spinner(),
        };
        let bar = self.all.add(bar.with_style(look(unit, total.is_some())));
        bar.set_prefix(title.to_string());
        bar.enable_steady_tick(Duration::from_millis(250));
        lock(&self.open).push(bar);
    }

    fn set(&self, done: u64) {
        self.innermost(|bar| bar.set_position(done));
    }

    fn note(&self, text: &str) {
        self.innermost(|bar| bar.set_message(text.to_string()));
    }

    fn end(&self, summary: &str) {
        let Some(bar) = lock(&self.open).pop() else { return };
        bar.finish_and_clear();
        self.all.remove(&bar);
        if !summary.is_empty() {
            self.say(summary);
        }
    }

    fn say(&self, line: &str) {
        // A terminal that went away must not end the work.
        let _ = self.all.println(line);
    }
}

/// Plain lines, at most one in a while for each step.
pub struct Lines {
    every: Duration,
    inner: Mutex<Inner>,
}

struct Inner {
    out: Box<dyn Write + Send>,
    open: Vec<Step>,
}

struct Step {
    title: String,
    unit: String,
    total: Option<u64>,
    done: u64,
    note: String,
    begun: Instant,
    told: Instant,
}

impl Lines {
    /// Writes to `out`, at most every `every` about one step.
    pub fn new(out: Box<dyn Write + Send>, every: Duration) -> Self {
        Self { every, inner: Mutex::new(Inner { out, open: Vec::new() }) }
    }
}

impl Inner {
    fn line(&mut self, text: &str) {
        // A reader that went away must not end the work.
        let _ = writeln!(self.out, "{text}");
        let _ = self.out.flush();
    }

    fn tell(&mut self, every: Duration) {
        let Some(step) = self.open.last_mut() else { return };
        if step.told.elapsed() < every {
            return;
        }
        step.told = Instant::now();
        let text = step.text(step.begun.elapsed());
        self.line(&text);
    }
}

impl Step {
    fn text(&self, spent: Duration) -> String {
        let of = self.total.map_or(String::new(), |total| format!("/{total}"));
        let mut text = format!("{}: {}{of} {}", self.title, self.done, self.unit);
        let seconds = spent.as_secs_f64();
        if self.done > 0 && seconds > 0.0 {
            let rate = self.done as f64 / seconds;
            text.push_str(&format!(", {} a second", significant(rate)));
            if let Some(left) = self.total.and_then(|total| total.checked_sub(self.done)) {
                text.push_str(&format!(", {} left", span(left as f64 / rate)));
            }
        }
        if !self.note.is_empty() {
            text.push_str(", ");
            text.push_str(&self.note);
        }
        text
    }
}

fn significant(rate: f64) -> String {
    if rate >= 10.0 { format!("{rate:.0}") } else { format!("{rate:.2}") }
}

/// A span of seconds in words: `2 h 5 min`, `3 min 20 s`, `14 s`.
pub fn span(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e9).round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

impl Progress for Lines {
    fn begin(&self, title: &str, unit: &str, total: Option<u64>) {
        let now = Instant::now();
        let step = Step {
            title: title.to_string(),
            unit: unit.to_string(),
            total,
            done: 0,
            note: String::new(),
            begun: now,
            told: now,
        };
        lock(&self.inner).open.push(step);
    }

    fn set(&self, done: u64) {
        let mut inner = lock(&self.inner);
        if let Some(step) = inner.open.last_mut() {
            step.done = done;
        }
        inner.tell(self.every);
    }

    fn note(&self, text: &str) {
        if let Some(step) = lock(&self.inner).open.last_mut() {
            step.note = text.to_string();
        }
    }

    fn end(&self, summary: &str) {
        let mut inner = lock(&self.inner);
        inner.open.pop();
        if !summary.is_empty() {
            inner.line(summary);
        }
    }

    fn say(&self, line: &str) {
        lock(&self.inner).line(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            lock(&self.0).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn written(every: Duration, report: impl FnOnce(&Lines)) -> String {
        let out = Shared::default();
        report(&Lines::new(Box::new(out.clone()), every));
        String::from_utf8(lock(&out.0).clone()).unwrap()
    }

    #[test]
    fn plain_lines_tell_the_innermost_step() {
        let text = written(Duration::ZERO, |lines| {
            lines.begin("training", "steps", Some(10));
            lines.begin("games", "games", None);
            lines.note("+1 =0 -0");
            lines.set(3);
            lines.end("3 games");
            lines.say("a word");
            lines.set(0);
            lines.end("");
        });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("games: 3 games, "), "{text}");
        assert!(lines[0].ends_with(", +1 =0 -0"), "{text}");
        assert_eq!(lines[1..], ["3 games", "a word", "training: 0/10 steps"]);
    }

    #[test]
    fn plain_lines_are_rare() {
        let text = written(Duration::from_secs(3600), |lines| {
            lines.begin("games", "games", Some(1000));
            (0..1000).for_each(|done| lines.set(done));
            lines.end("done");
        });
        assert_eq!(text, "done\n");
    }

    #[test]
    fn a_step_in_words() {
        let now = Instant::now();
        let step = Step {
            title: String::from("t"),
            unit: String::from("u"),
            total: Some(300),
            done: 100,
            note: String::new(),
            begun: now,
            told: now,
        };
        assert_eq!(
            step.text(Duration::from_secs(50)),
            "t: 100/300 u, 2.00 a second, 1 min 40 s left"
        );
        assert_eq!(span(7500.0), "2 h 5 min");
        assert_eq!(span(f64::INFINITY), "277777 h 46 min");
    }

    #[test]
    fn bars_draw_their_look() {
        // A template that does not parse would fall back silently.
        let bars = Bars::default();
        bars.all.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        bars.begin("a {odd} title", "{games}", Some(5));
        bars.begin("within", "steps", None);
        bars.set(2);
        assert_eq!(lock(&bars.open).iter().map(ProgressBar::position).collect::<Vec<_>>(), [0, 2]);
        bars.end("over");
        bars.set(4);
        assert_eq!(lock(&bars.open)[0].position(), 4);
        bars.end("over");
        bars.end("once too often");
        assert!(lock(&bars.open).is_empty());
    }
}
