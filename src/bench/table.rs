//! The report as a person reads it: medians in tables; the JSON has the spreads.

use super::tune::{SAMPLES_PER_WEIGHT, Trial, Tuning};
use super::{Report, Spread};
use std::fmt::{Display, Formatter, Result};

impl Display for Report {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let machine = &self.machine;
        let cpu = machine.cpu.as_deref().unwrap_or("an unnamed processor");
        writeln!(
            out,
            "{cpu}, {} cores, {} kernels, peak of one core {:.0} GFLOP/s",
            machine.cores, machine.instructions, machine.peak_gflops
        )?;
        self.rules_rows(out)?;
        self.network_rows(out)?;
        self.search_rows(out)?;
        self.selfplay_rows(out)?;
        self.training_rows(out)?;
        if let Some(memory) = &self.memory {
            let (now, peak) = (memory.resident_mib, memory.peak_mib);
            writeln!(out, "\nmemory  {now:.0} MiB resident, {peak:.0} MiB at the peak")?;
        }
        if let Some(signature) = &self.signature {
            writeln!(out, "\n{signature}")?;
        }
        self.tune.as_ref().map_or(Ok(()), |tuning| tuning_rows(tuning, out))
    }
}

impl Report {
    fn rules_rows(&self, out: &mut Formatter<'_>) -> Result {
        if self.rules.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nrules      engine      depth  million nodes/s  × chess")?;
        for row in &self.rules {
            let to_chess = row.to_chess.map_or(String::new(), |x| format!("{:.2}", x.median));
            writeln!(
                out,
                "{:<11}{:<11}{:>6}{:>17.1}{:>9}",
                row.game,
                row.engine,
                row.depth,
                row.nodes_per_second.median / 1e6,
                to_chess,
            )?;
        }
        if self.rules.iter().all(|row| row.to_chess.is_none()) {
            writeln!(out, "(built with `--features compare`, cozy-chess is measured beside)")?;
        }
        Ok(())
    }

    fn network_rows(&self, out: &mut Formatter<'_>) -> Result {
        if self.network.is_empty() {
            return Ok(());
        }
        let head = "evaluations/s  GFLOP/s  share of peak";
        writeln!(out, "\nnetwork       size  threads  batch  {head}")?;
        for row in &self.network {
            writeln!(
                out,
                "{:<11}{:>7}{:>9}{:>7}{:>15}{:>9.0}{:>15}",
                row.game,
                row.size,
                row.threads,
                row.batch,
                whole(row.evaluations_per_second),
                row.gflops,
                percent(row.peak_share),
            )?;
        }
        Ok(())
    }

    fn search_rows(&self, out: &mut Formatter<'_>) -> Result {
        if self.search.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nsearch        size  simulations/s  in the network")?;
        for row in &self.search {
            writeln!(
                out,
                "{:<11}{:>7}{:>15}{:>16}",
                row.game,
                row.size,
                whole(row.simulations_per_second),
                percent(row.network_share.median),
            )?;
        }
        Ok(())
    }

    fn selfplay_rows(&self, out: &mut Formatter<'_>) -> Result {
        if self.selfplay.is_empty() {
            return Ok(());
        }
        let head = "positions/s  evaluations/s  in the network  cores busy  cached";
        writeln!(out, "\nself-play     size  threads  cache MiB  {head}")?;
        for row in &self.selfplay {
            writeln!(
                out,
                "{:<11}{:>7}{:>9}{:>11}{:>13}{:>15}{:>16}{:>12}{:>8}",
                row.game,
                row.size,
                row.threads,
                row.cache_mib,
                whole(row.positions_per_second),
                whole(row.evaluations_per_second),
                percent(row.network_share.median),
                percent(row.busy_share.median),
                percent(row.cached_share.median),
            )?;
        }
        Ok(())
    }

    fn training_rows(&self, out: &mut Formatter<'_>) -> Result {
        if self.training.is_empty() {
            return Ok(());
        }
        writeln!(out, "\ntraining      size  threads  batch  samples/s")?;
        for row in &self.training {
            writeln!(
                out,
                "{:<11}{:>7}{:>9}{:>7}{:>11}",
                row.game,
                row.size,
                row.threads,
                row.batch,
                whole(row.samples_per_second),
            )?;
        }
        Ok(())
    }
}

fn tuning_rows(tuning: &Tuning, out: &mut Formatter<'_>) -> Result {
    let trials = |trials: &[Trial]| {
        let one = |trial: &Trial| format!("{}: {:.0}", trial.value, trial.positions_per_second);
        trials.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let Tuning { game, hours, in_flight, threads, sizes, suggestion } = tuning;
    writeln!(out, "\ntuning for {hours} h of {game}")?;
    writeln!(out, "positions/s by games in flight on a thread: {}", trials(in_flight))?;
    writeln!(out, "positions/s by threads: {}", trials(threads))?;
    writeln!(
        out,
        "\n   size  weights  evaluations/s  samples/s  positions in {hours} h  samples a weight"
    )?;
    for trial in sizes {
        writeln!(
            out,
            "{:>7}{:>9}{:>15.0}{:>11.0}{:>18.0}{:>18.0}",
            trial.size,
            trial.weights,
            trial.evaluations_per_second,
            trial.samples_per_second,
            trial.positions,
            trial.samples_per_weight,
        )?;
    }
    writeln!(
        out,
        "The largest network is suggested that gets {SAMPLES_PER_WEIGHT:.0} samples for each \
         weight: a rule of thumb.\n"
    )?;
    write!(out, "{}", suggestion.to_toml())
}

/// The median as a whole number.
fn whole(spread: Spread) -> String {
    format!("{:.0}", spread.median)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
