//! What ends a run, and how far it has come. Pure arithmetic on what a state holds: clocks are
//! read when a state is published, and all that follows is a function of that state, so that a
//! resumed run decays and ends where it would have.

use serde::{Deserialize, Serialize};

/// Time of work: of the wall and of all the process's cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    pub seconds: f64,
    pub cpu_seconds: f64,
}

impl std::ops::Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            seconds: self.seconds + other.seconds,
            cpu_seconds: self.cpu_seconds + other.cpu_seconds,
        }
    }
}

impl std::ops::Sub for Spent {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            seconds: self.seconds - other.seconds,
            cpu_seconds: self.cpu_seconds - other.cpu_seconds,
        }
    }
}

/// What ends a run: whichever of these is used up first; 0 is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    pub generations: u64,
    pub games: u64,
    pub steps: u64,
    pub hours: f64,
    pub cpu_minutes: f64,
}

/// What a run has done since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Done {
    pub generations: u64,
    pub games: u64,
    pub steps: u64,
    pub spent: Spent,
    /// What the newest generation took.
    pub last: Spent,
}

/// How far a run has come, 0 to 1, when a generation begins and when it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub from: f64,
    pub to: f64,
}

impl Span {
    /// How far the run has come when `share` (0 to 1) of the generation is done.
    pub fn at(&self, share: f64) -> f64 {
        self.from + (self.to - self.from) * share
    }

    /// How far the run has come, measured so that its last generation stands at 1.
    pub fn as_last_is_one(&self) -> f64 {
        let before = 1.0 - (self.to - self.from);
        if before > 0.0 { (self.from / before).min(1.0) } else { 0.0 }
    }
}

/// How a run stands towards its end. A part of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// The budget under which the rest was found; another one begins the reckoning anew.
    pub budget: Budget,
    /// How far the run has come, 0 to 1. It never falls.
    pub progress: f64,
    /// The step at which the final decay of the learning rate began.
    pub decay_step: Option<u64>,
}

impl Pace {
    /// How far the run had come under this very budget.
    pub fn reached(&self, budget: &Budget) -> f64 {
        if self.budget == *budget { self.progress } else { 0.0 }
    }
}

impl Budget {
    /// Is a clock part of it, so that its end does not depend on counts alone?
    pub fn is_timed(&self) -> bool {
        self.hours > 0.0 || self.cpu_minutes > 0.0
    }

    /// Is it used up? A generation that would overrun a limit of time by more than half of itself
    /// is not begun.
    pub fn is_over(&self, done: &Done) -> bool {
        let counted = |done: u64, limit: u64| limit > 0 && done >= limit;
        counted(done.generations, self.generations)
            || counted(done.games, self.games)
            || counted(done.steps, self.steps)
            || self.timed(done).any(|(spent, last, limit)| limit - spent <= last / 2.0)
    }

    /// How far the run has come when the next generation, of `games` games, begins and ends.
    /// `reached` is never undercut. A limit of steps is left out at the end: the lesson knows it
    /// to the step.
    pub fn span(&self, done: &Done, games: u64, reached: f64) -> Span {
        let mut span = Span { from: reached, to: reached };
        let mut limit = |from: f64, to: f64| {
            span.from = span.from.max(from.min(1.0));
            span.to = span.to.max(to.min(1.0)).max(span.from);
        };
        if self.generations > 0 {
            let share = |generations: u64| generations as f64 / self.generations as f64;
            limit(share(done.generations), share(done.generations + 1));
        }
        if self.games > 0 {
            let share = |games: u64| games as f64 / self.games as f64;
            limit(share(done.games), share(done.games + games));
        }
        if self.steps > 0 {
            let share = done.steps as f64 / self.steps as f64;
            limit(share, share);
        }
        for (spent, last, most) in self.timed(done) {
            let next = spent + last;
            // Of the last generation it is known that it is the last.
            let ends = last > 0.0 && most - next <= last / 2.0;
            limit(spent / most, if ends { 1.0 } else { next / most });
        }
        span
    }

    /// Spent, spent on the newest generation, and limit, in seconds, of each limit of time.
    fn timed(&self, done: &Done) -> impl Iterator<Item = (f64, f64, f64)> + use<> {
        let limits = [
            (done.spent.seconds, done.last.seconds, self.hours * 3600.0),
            (done.spent.cpu_seconds, done.last.cpu_seconds, self.cpu_minutes * 60.0),
        ];
        limits.into_iter().filter(|&(.., limit)| limit > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(generations: u64, minutes: f64, last: f64) -> Done {
        let time = |minutes: f64| Spent { seconds: 60.0 * minutes, cpu_seconds: 120.0 * minutes };
        Done { generations, spent: time(minutes), last: time(last), ..Done::default() }
    }

    #[test]
    fn generations_divide_the_run_evenly() {
        let budget = Budget { generations: 4, ..Budget::default() };
        let span = budget.span(&after(3, 0.0, 0.0), 10, 0.0);
        assert_eq!(span, Span { from: 0.75, to: 1.0 });
        assert_eq!(span.at(0.5), 0.875);
        assert_eq!(span.as_last_is_one(), 1.0);
        assert_eq!(budget.span(&after(0, 0.0, 0.0), 10, 0.0).as_last_is_one(), 0.0);
        assert!(!budget.is_over(&after(3, 0.0, 0.0)) && budget.is_over(&after(4, 0.0, 0.0)));
    }

    #[test]
    fn the_last_generation_under_a_clock_ends_at_one() {
        // Ten minutes, generations of two: after 7.5 minutes the next one ends at 9.5, and what
        // is then left is less than half a generation.
        let budget = Budget { hours: 10.0 / 60.0, ..Budget::default() };
        assert_eq!(budget.span(&after(2, 4.0, 2.0), 10, 0.0), Span { from: 0.4, to: 0.6 });
        assert_eq!(budget.span(&after(4, 7.5, 2.0), 10, 0.0), Span { from: 0.75, to: 1.0 });
        assert!(!budget.is_over(&after(4, 7.5, 2.0)) && budget.is_over(&after(5, 9.5, 2.0)));
        assert!(budget.is_over(&after(5, 11.0, 2.0)));
    }

    #[test]
    fn progress_never_falls_and_the_first_limit_counts() {
        // CPU time runs twice as fast here: 12 of 20 CPU minutes are more than 6 of 60.
        let budget = Budget { hours: 1.0, cpu_minutes: 20.0, ..Budget::default() };
        assert_eq!(budget.span(&after(2, 6.0, 1.0), 10, 0.0), Span { from: 0.6, to: 0.7 });
        assert_eq!(budget.span(&after(2, 6.0, 1.0), 10, 0.65), Span { from: 0.65, to: 0.7 });
        let pace = Pace { budget, progress: 0.65, decay_step: None };
        assert_eq!(pace.reached(&budget), 0.65);
        assert_eq!(pace.reached(&Budget { hours: 2.0, ..budget }), 0.0);
    }

    #[test]
    fn games_and_steps_are_counted() {
        let budget = Budget { games: 100, steps: 50, ..Budget::default() };
        let done = Done { games: 60, steps: 10, ..Done::default() };
        assert_eq!(budget.span(&done, 60, 0.0), Span { from: 0.6, to: 1.0 });
        assert!(budget.is_over(&Done { steps: 50, ..done }));
        assert!(budget.is_over(&Done { games: 120, ..done }));
        assert!(!budget.is_over(&done));
    }
}
