//! What of a run may be deleted: old states that nobody needs, and shards that no window reaches
//! any more. Planning is pure; nothing that the window, the champion or resuming needs is ever
//! in a plan.

use super::layout::{Layout, ShardFile};
use super::state::{self, StateCard};
use crate::disk::{DiskError, atomic};

/// What is kept beyond what is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The newest states, at least one: each of them can be resumed, its window included.
    pub newest: usize,
    /// The last state in each stretch of this many steps, to measure later; 0 keeps none.
    pub milestone_steps: u64,
}

/// What to delete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Steps of states, ascending.
    pub states: Vec<u64>,
    pub shards: Vec<ShardFile>,
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.shards.is_empty()
    }
}

/// Plans what to delete. `states` are the sound ones in ascending order; `champion` is the step
/// whose weights play. Without a sound state nothing is deleted.
pub fn plan(states: &[StateCard], shards: &[ShardFile], champion: Option<u64>, keep: Keep) -> Plan {
    let resumable = &states[states.len().saturating_sub(keep.newest.max(1))..];
    // States are saved in order, but an older one that reaches further back counts, too.
    let Some(first_needed) = resumable.iter().map(|card| card.first_game).min() else {
        return Plan::default();
    };
    let stretch = |step: u64| step.checked_div(keep.milestone_steps);
    let is_milestone = |index: usize| {
        let next = states.get(index + 1).map(|next| stretch(next.step));
        keep.milestone_steps > 0 && next != Some(stretch(states[index].step))
    };
    let old = states.len() - resumable.len();
    let spared = |index: usize| Some(states[index].step) == champion || is_milestone(index);
    Plan {
        states: (0..old).filter(|&index| !spared(index)).map(|index| states[index].step).collect(),
        shards: shards.iter().filter(|shard| shard.last < first_needed).cloned().collect(),
    }
}

/// Looks at a run and plans. States that cannot be read are left alone.
pub fn plan_run(layout: &Layout, champion: Option<u64>, keep: Keep) -> Result<Plan, DiskError> {
    let steps = layout.list_states()?;
    let cards: Vec<StateCard> =
        steps.iter().filter_map(|&step| state::card(&layout.state(step)).ok()).collect();
    Ok(plan(&cards, &layout.list_shards()?, champion, keep))
}

/// Deletes what was planned; whoever is killed here leaves whole files and leftovers that the
/// next start cleans. Only for the holder of the run's lock.
pub fn execute(layout: &Layout, plan: &Plan) -> Result<(), DiskError> {
    for &step in &plan.states {
        atomic::remove_dir(&layout.state(step))?;
    }
    for shard in &plan.shards {
        std::fs::remove_file(&shard.path).map_err(DiskError::on("remove", &shard.path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A state whose window holds the last 100 of its games, one game a step.
    fn card(step: u64) -> StateCard {
        let first_game = step.saturating_sub(100);
        StateCard { step, generation: 0, first_game, next_game: step }
    }

    fn shards(until: u64) -> Vec<ShardFile> {
        let shard = |first| ShardFile { path: "x".into(), first, last: first + 9 };
        (0..until).step_by(10).map(shard).collect()
    }

    fn firsts(plan: &Plan) -> Vec<u64> {
        plan.shards.iter().map(|shard| shard.first).collect()
    }

    #[test]
    fn old_states_and_shards_go_and_what_is_needed_stays() {
        let states: Vec<StateCard> = (1..=10).map(|index| card(index * 20)).collect();
        let keep = Keep { newest: 3, milestone_steps: 0 };
        let planned = plan(&states, &shards(200), Some(60), keep);
        // 160, 180 and 200 can be resumed; 160's window begins with game 60.
        assert_eq!(planned.states, [20, 40, 80, 100, 120, 140]);
        assert_eq!(firsts(&planned), [0, 10, 20, 30, 40, 50]);
        let keep = Keep { newest: 3, milestone_steps: 50 };
        // The last of 0..50, 50..100, 100..150 are 40, 80 and 140.
        assert_eq!(plan(&states, &[], Some(60), keep).states, [20, 100, 120]);
    }

    #[test]
    fn without_a_sound_state_nothing_goes() {
        let keep = Keep { newest: 0, milestone_steps: 0 };
        assert!(plan(&[], &shards(50), None, keep).is_empty());
        assert_eq!(plan(&[card(5)], &shards(50), None, keep), Plan::default());
    }

    #[test]
    fn a_plan_is_executed_on_disk() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::at(dir.path());
        for folder in layout.folders() {
            std::fs::create_dir_all(folder).unwrap();
        }
        for step in [100, 200, 300] {
            state::publish(&layout, &card(step), |_| Ok(())).unwrap();
        }
        std::fs::create_dir(layout.state(50)).unwrap();
        for shard in shards(300) {
            std::fs::write(layout.shard(shard.first, shard.last), b"").unwrap();
        }
        let keep = Keep { newest: 1, milestone_steps: 0 };
        let planned = plan_run(&layout, Some(100), keep).unwrap();
        assert_eq!((planned.states.clone(), planned.shards.len()), (vec![200], 20));
        execute(&layout, &planned).unwrap();
        assert_eq!(layout.list_states().unwrap(), [50, 100, 300]);
        assert_eq!(layout.list_shards().unwrap()[0].first, 200);
        assert!(plan_run(&layout, Some(100), keep).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn nothing_needed_is_ever_planned(
            gaps in prop::collection::vec(1u64..50, 1..20),
            newest in 0usize..5,
            milestone_steps in 0u64..100,
            chosen: prop::sample::Index,
        ) {
            let steps = gaps.iter().scan(0, |sum, gap| { *sum += gap; Some(*sum) });
            let states: Vec<StateCard> = steps.map(card).collect();
            let champion = states[chosen.index(states.len())].step;
            let last = *states.last().unwrap();
            let all = shards(last.step);
            let planned = plan(&states, &all, Some(champion), Keep { newest, milestone_steps });
            prop_assert!(!planned.states.contains(&champion));
            prop_assert!(!planned.states.contains(&last.step));
            let kept = states.len() - planned.states.len();
            prop_assert!(kept >= newest.max(1).min(states.len()));
            prop_assert!(planned.shards.iter().all(|shard| shard.last < last.first_game));
        }
    }
}
