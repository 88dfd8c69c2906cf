//! `solve`: makes endgame tables.

use super::exit::Usage;
use super::game::HouseRules;
use super::tables;
use crate::endgame::store::{self, Counts};
use crate::endgame::sweep::{Swept, sweep};
use crate::endgame::{MOST_ANIMALS, Signature, probe};
use crate::memory;
use crate::ui::progress;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Make endgame tables of Jungle: every position with few animals, solved exactly.
///
/// Finished tables are kept: a killed command goes on where it was. Repetition and the counts are
/// left out.
#[derive(Clone, Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["signature", "pieces"])))]
pub struct SolveArgs {
    /// One signature, as in `LTvlr`: the first side's animals, `v`, the second side's. What
    /// captures lead to is solved first.
    #[arg(value_name = "SIGNATURE")]
    pub signature: Option<String>,
    /// All positions of up to so many animals.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MOST_ANIMALS as i64))]
    pub pieces: Option<u8>,
    /// The folder of the tables, instead of `tables` in the data folder; each rule set has its own
    /// folder in it.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads; all cores if absent.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// The most memory to use, in MiB; that of the machine if absent.
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub memory_mib: Option<u64>,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Solves what is missing and prints a line for each number of animals, or for the signature.
pub fn run(args: &SolveArgs, data: &Path) -> anyhow::Result<()> {
    let book = tables::rulebook(&tables::jungle(args.house.build()?)?)?;
    let dir = match &args.out {
        Some(out) => out.join(book.hash()),
        None => probe::folder(data, &book),
    };
    let threads = match args.threads {
        Some(threads) => threads as usize,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let (signatures, single) = match &args.signature {
        Some(text) => {
            let signature = Signature::parse(text).map_err(|wrong| Usage(wrong.to_string()))?;
            let signature = book.canonical(&signature).0;
            (vec![signature.clone()], Some(signature))
        }
        None => {
            let most = usize::from(args.pieces.unwrap_or(2));
            ((2..=most).flat_map(|count| book.signatures(count)).collect(), None)
        }
    };
    let memory = args.memory_mib.map(|mebibytes| mebibytes << 20).or_else(memory::available);
    let begun = Instant::now();
    let swept = sweep(&book, &signatures, &dir, threads, memory, &*progress::to_stderr())
        .map_err(tables::swept)?;
    let seconds = begun.elapsed().as_secs_f64();
    print_counts(&swept, single.as_ref())?;
    let bytes: u64 = swept
        .tables
        .iter()
        .filter_map(|(signature, _)| store::path(&dir, signature).metadata().ok())
        .map(|about| about.len())
        .sum();
    let (all, dir, size) = (swept.tables.len(), dir.display(), megabytes(bytes));
    match swept.solved {
        0 => tell!("all {all} tables were there already; {size} in {dir}"),
        solved => tell!(
            "{solved} of {all} tables solved in {seconds:.1} s on {threads} threads; {size} in {dir}"
        ),
    }
    Ok(())
}

/// Small tables are small: `0.04 MB`.
fn megabytes(bytes: u64) -> String {
    let size = bytes as f64 / 1e6;
    if size < 1.0 { format!("{size:.2} MB") } else { format!("{size:.1} MB") }
}

fn print_counts(swept: &Swept, single: Option<&Signature>) -> std::io::Result<()> {
    tell!(
        "{:>9} {:>15} {:>15} {:>15} {:>15} {:>9} {:>8}",
        "animals",
        "positions",
        "won",
        "lost",
        "drawn",
        "no move",
        "longest"
    );
    let line = |name: &str, counts: Counts| -> std::io::Result<()> {
        tell!(
            "{name:>9} {:>15} {:>15} {:>15} {:>15} {:>9} {:>8}",
            counts.positions(),
            counts.won,
            counts.lost,
            counts.drawn,
            counts.stuck,
            counts.longest()
        );
        Ok(())
    };
    if let Some(signature) = single {
        let mut of = swept.tables.iter().filter(|(other, _)| other == signature);
        return of.try_for_each(|(signature, counts)| line(&signature.to_string(), *counts));
    }
    for animals in 2..=MOST_ANIMALS {
        let of = swept.tables.iter().filter(|(signature, _)| signature.count() == animals);
        let counts: Vec<Counts> = of.map(|(_, counts)| *counts).collect();
        if let Some(sum) = counts.into_iter().reduce(Counts::and) {
            line(&animals.to_string(), sum)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        solve: SolveArgs,
    }

    fn solve(words: &[&str], data: &Path) -> anyhow::Result<()> {
        let words = ["solve"].iter().chain(words);
        run(&Command::try_parse_from(words)?.solve, data)
    }

    #[test]
    fn one_signature_is_solved_with_what_it_needs() {
        let data = tempfile::tempdir().unwrap();
        solve(&["EvrR", "--preset", "leiden"], data.path()).unwrap();
        let folder = data.path().join("tables").read_dir().unwrap().next().unwrap().unwrap();
        let present = store::present(&folder.path()).unwrap();
        let names: Vec<String> = present.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["Evr", "RRve"]);
    }

    #[test]
    fn what_cannot_be_solved_is_told() {
        let data = tempfile::tempdir().unwrap();
        let error = |words: &[&str]| solve(words, data.path()).unwrap_err().to_string();
        assert!(error(&["Evr", "--preset", "netcan"]).contains("rules.repetition=none"));
        assert!(error(&["Evr", "--game", "celestial"]).contains("celestial has none"));
        assert!(error(&["Evx"]).contains("`x` is none"));
        assert!(error(&[]).contains("--pieces"));
        assert!(error(&["--pieces", "6"]).contains('6'));
        // What is too large is refused with its amount, before anything is begun.
        let told = error(&["LRvelr", "--memory-mib", "64"]);
        assert!(told.contains("ELRvlr takes 1.4 GiB of memory"), "{told}");
        assert!(told.contains("64 MiB may be used"), "{told}");
        let folder = data.path().join("tables").read_dir().unwrap().next().unwrap().unwrap();
        assert!(store::present(&folder.path()).unwrap().is_empty());
    }
}
