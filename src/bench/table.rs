//! The report as a person reads it.

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
        self.network_rows(out)?;
        self.training_rows(out)
    }
}

impl Report {
    fn network_rows(&self, out: &mut Formatter<'_>) -> Result {
        if self.network.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\nnetwork      size  threads  batch  evaluations/s  GFLOP/s  share of peak"
        )?;
        for row in &self.network {
            writeln!(
                out,
                "{:<10}{:>7}{:>9}{:>7}{:>15}{:>9.0}{:>13.1} %",
                row.game,
                row.size,
                row.threads,
                row.batch,
                whole(row.evaluations_per_second),
                row.gflops,
                100.0 * row.peak_share,
            )?;
        }
        Ok(())
    }

    fn training_rows(&self, out: &mut Formatter<'_>) -> Result {
        if self.training.is_empty() {
            return Ok(());
        }
        writeln!(out, "\ntraining     size  threads  batch  samples/s")?;
        for row in &self.training {
            writeln!(
                out,
                "{:<10}{:>7}{:>9}{:>7}{:>11}",
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

/// The median as a whole number.
fn whole(spread: Spread) -> String {
    format!("{:.0}", spread.median)
}
