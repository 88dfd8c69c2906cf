//! What can be set about the loop itself.

use crate::learn::Budget;

crate::settings! {
    /// The run as a whole.
    pub struct TrainSettings {
        /// Generations to play and learn; the run then ends. A limit of another kind (the four
        /// below) replaces this one; of several such limits the first that is used up ends the
        /// run.
        generations: u64 = 60, in 1..=1_000_000;
        /// Games after which the run ends, rounded up to whole generations; 0: no such limit.
        games: u64 = 0, in 0..=1_000_000_000_000;
        /// Learner's steps with which the run ends; 0: no such limit.
        steps: u64 = 0, in 0..=1_000_000_000_000;
        /// Hours of work after which the run ends, the final measuring not counted; 0: no such
        /// limit.
        hours: f64 = 0.0, in 0.0..=1_000_000.0;
        /// Minutes of the process's CPU time for self-play and learning after which the run ends;
        /// 0: no such limit.
        cpu_minutes: f64 = 0.0, in 0.0..=1_000_000_000.0;
        /// Names every random choice of the run.
        seed: u64 = 1, in 0..=9_007_199_254_740_991;
        /// Threads of self-play, learning and measuring. The weights depend on it.
        threads: usize = 2, in 1..=256;
        /// Memory that the run may use, in GiB: a run that may need more is refused, and the window
        /// of games is kept within what the rest leaves. 0: what the machine has, with the window
        /// as large as [replay] says.
        memory_gib: f64 = 0.0, in 0.0..=1_048_576.0;
        /// Measure against the fixed opponents after every so many generations, at the start and
        /// at the end; 0: only at the start and the end.
        measure_every: u64 = 10, in 0..=1_000_000;
        /// Games against each opponent on the way.
        measure_games: u32 = 40, in 2..=1_000_000;
        /// Games against each opponent at the end.
        final_games: u32 = 200, in 2..=1_000_000;
        /// Simulations for a move when measuring.
        measure_visits: u32 = 64, in 1..=1_000_000;
        /// States to keep on disk beside the champion's and the milestones.
        keep_states: usize = 3, in 1..=1_000_000;
        /// Keep a state of every so many steps for ever; 0 keeps none.
        milestone_steps: u64 = 1000, in 0..=1_000_000_000;
        /// Keep all games for ever; `false` deletes those that no kept state needs.
        keep_games: bool = true, words "`true` or `false`";
    }
}

impl TrainSettings {
    /// What ends the run.
    pub fn budget(&self) -> Budget {
        let TrainSettings { games, steps, hours, cpu_minutes, .. } = *self;
        let budget = Budget { generations: 0, games, steps, hours, cpu_minutes };
        if budget == Budget::default() {
            Budget { generations: self.generations, ..budget }
        } else {
            budget
        }
    }
}
