//! `truth`: a model against endgame tables.

use super::exit::{Unusable, Usage};
use super::game::HouseRules;
use super::players::{Contestant, DEFAULT_VISITS, common_game};
use super::tables;
use crate::arena::Player;
use crate::arena::truth::{Conversion, Judged, Rates, Row, Sample, chance, convert, judge};
use crate::arena::truth::{rows, sample, searched};
use crate::endgame::{MOST_ANIMALS, Tables, Value};
use crate::game::Notation;
use crate::nn::{self, EngineWeights, Net, NetworkEvaluator, NetworkSettings};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Measure a model against the exact values of endgame tables, on positions that training never
/// uses.
#[derive(Clone, Debug, clap::Args)]
pub struct TruthArgs {
    /// A model folder or a run; `:visits=64` sets the level of the search.
    pub model: String,
    /// Tables of up to so many animals.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MOST_ANIMALS as i64))]
    pub pieces: u8,
    /// Positions of each stratum: signature, value, and band of distances.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub each: u32,
    /// Won positions that are played out against a perfect defender.
    #[arg(long, default_value_t = 200)]
    pub games: usize,
    /// Names the sample.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; the result does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Write all figures, signature by signature, and the worst positions as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// How many of the worst positions are listed.
    #[arg(long, default_value_t = 10)]
    pub worst: usize,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Measures and prints.
pub fn run(args: &TruthArgs, data: &Path) -> anyhow::Result<()> {
    let contestant = Contestant::load(&args.model, data)?;
    let Some(brain) = contestant.brain() else {
        return Err(Usage(format!("`{}` has no network to measure", args.model)).into());
    };
    let game = tables::jungle(common_game(args.house.build_if_given()?, &[&contestant])?)?;
    let tables = Tables::open(&game, data, usize::from(args.pieces)).map_err(tables::opened)?;
    let samples = sample(&tables, args.each as usize, args.seed);
    if samples.is_empty() {
        return Err(Unusable(String::from("the tables hold no position to measure")).into());
    }
    let network = |weights| {
        NetworkEvaluator::new(game.clone(), weights).map_err(|error| Unusable(error.to_string()))
    };
    let judged = judge(&tables, &samples, &mut network(brain.weights.clone())?)?;
    let shape = *brain.weights.shape();
    let fresh = Net::init(shape, &NetworkSettings::default(), args.seed, &nn::cpu())?;
    let fresh = Arc::new(EngineWeights::new(&fresh));
    let untrained = rows(&samples, &judge(&tables, &samples, &mut network(fresh)?)?, &[]);
    let make = || {
        let mut player: Box<dyn Player<_>> = contestant.player(&game)?;
        if player.visits().is_none() {
            player.set_visits(DEFAULT_VISITS);
        }
        Ok(player)
    };
    let threads = args.threads as usize;
    let kept = searched(&game, &tables, &samples, &make, threads)?;
    let conversion = convert(&game, &tables, &samples, args.games, &make, threads)?;
    let measured = rows(&samples, &judged, &kept);
    let chance = chance(&tables, &samples);
    print(&measured, untrained.first(), chance, conversion)?;
    let worst = worst(&game, &samples, &judged, args.worst);
    tell!("\nworst positions (result; the network's win, draw, loss):");
    for (text, truth, judged) in &worst {
        let nn = judged.opinion;
        tell!("{text}  {truth}  {:.2} {:.2} {:.2}", nn.win, nn.draw, nn.loss);
    }
    let Some(path) = &args.json else { return Ok(()) };
    let worst: Vec<_> = worst
        .iter()
        .map(|(text, truth, judged)| {
            json!({"position": text, "truth": truth, "opinion": judged.opinion})
        })
        .collect();
    let visits = make()?.visits();
    let record = json!({
        "model": args.model, "rules": tables.book().hash(), "seed": args.seed,
        "pieces": args.pieces, "each": args.each, "visits": visits, "positions": samples.len(),
        "rows": measured, "untrained": untrained.first(), "random_move": chance.kept,
        "constant_value": chance.sign, "conversion": conversion, "worst": worst,
    });
    let text = serde_json::to_string_pretty(&record)? + "\n";
    Ok(crate::disk::atomic::write(path, text.as_bytes())?)
}

/// The samples on which the network is surest of what is not true: text, truth, opinion.
fn worst<'a>(
    game: &impl Notation<Position = crate::game::jungle::Position>,
    samples: &[Sample],
    judged: &'a [Judged],
    most: usize,
) -> Vec<(String, String, &'a Judged)> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let error = |index: usize| judged[index].error(samples[index].exact.value);
    order.sort_by(|&a, &b| error(b).total_cmp(&error(a)));
    order.truncate(most);
    let of = |index: usize| {
        let exact = samples[index].exact;
        let truth = match exact.value {
            Value::Draw => exact.value.word().into(),
            value => format!("{} in {}", value.word(), exact.plies),
        };
        (game.position_text(&samples[index].position), truth, &judged[index])
    };
    order.into_iter().map(of).collect()
}

fn print(
    rows: &[Row],
    untrained: Option<&Row>,
    chance: Rates,
    conversion: Conversion,
) -> std::io::Result<()> {
    tell!("{:<24} {:>9} {:>8} {:>8} {:>8}", "", "positions", "sign", "policy", "search");
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let line = |name: &str, positions: String, rates: Rates| -> std::io::Result<()> {
        tell!(
            "{name:<24} {positions:>9} {:>8} {:>8} {:>8}",
            percent(rates.sign),
            percent(rates.kept),
            rates.searched.map_or(String::new(), percent)
        );
        Ok(())
    };
    for row in rows {
        line(&row.name, row.positions.to_string(), row.rates)?;
    }
    tell!("");
    if let Some(row) = untrained {
        line("untrained network", row.positions.to_string(), row.rates)?;
    }
    line("chance", String::new(), chance)?;
    let share = |part: u64| percent(part as f64 / conversion.games.max(1) as f64);
    tell!(
        "conversion: of {} won positions {} won within the shortest way and 10 plies, {} at all",
        conversion.games,
        share(conversion.quick),
        share(conversion.won)
    );
    Ok(())
}
