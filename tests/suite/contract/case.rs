//! A case: its number, the stream drawn from it, and what is printed if it fails. To run one case
//! again, name it: `CONTRACT_CASE=417`.

use menagerie::rng::{self, Stream};

/// All cases are drawn from this seed and their number.
const SEED: u64 = 20;
const CHOSEN: &str = "CONTRACT_CASE";

pub struct Case {
    pub random: Stream,
    test: String,
    subject: String,
    number: u64,
    story: String,
}

impl Case {
    pub fn new(test: &str, subject: &str, number: u64) -> Case {
        Case {
            random: rng::stream(SEED, &format!("{test} {subject}"), number),
            test: test.into(),
            subject: subject.into(),
            number,
            story: String::new(),
        }
    }

    /// What to say of the case if it fails.
    pub fn tell(&mut self, story: String) {
        self.story = story;
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Case { test, subject, number, story, .. } = self;
            eprintln!("case {number} of {subject} failed; {story}");
            eprintln!("again: {CHOSEN}={number} cargo test --release {test}");
        }
    }
}

/// The number of the one case to run, if one was named.
fn chosen() -> Option<u64> {
    let text = std::env::var(CHOSEN).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{CHOSEN} is `{text}`; a case number is right")))
}

/// Was one case named? Then nothing is asked of what all cases together should have met.
pub fn is_chosen() -> bool {
    chosen().is_some()
}

/// The numbers of the cases to run.
pub fn numbers(count: u64) -> std::ops::Range<u64> {
    chosen().map_or(0..count, |number| number..number + 1)
}
