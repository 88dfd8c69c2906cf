//! `truth`: a model against exact values: endgame tables of Jungle, endings of Celestial Checkers
//! searched to the end.

use super::exit::{Unusable, Usage};
use super::game::HouseRules;
use super::players::{Brain, Contestant, DEFAULT_VISITS, common_game};
use super::tables;
use crate::arena::rating::rounded;
use crate::arena::truth::{Conversion, Endings, Judged, Rates, Row, Sample};
use crate::arena::truth::{chance, convert, endings, judge, rows, sample, searched};
use crate::arena::{Player, PlayerError, StaticEvaluation};
use crate::codec::Encode;
use crate::endgame::{MOST_ANIMALS, Tables, Value};
use crate::game::celestial::Celestial;
use crate::game::jungle::Jungle;
use crate::game::registry::AnyGame;
use crate::game::{Game, Notation};
use crate::nn::{self, EngineWeights, Net, NetworkEvaluator};
use crate::with_game;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Endings of Celestial Checkers with more animals take too long to search to the end.
const MOST_CELESTIAL: u8 = 7;
/// Positions that the search to the end of one ending may remember; about 90 bytes each.
const CAPACITY: usize = 4_000_000;

/// Measure a model against exact values: Jungle by endgame tables, on positions that training
/// never uses; Celestial Checkers on endings searched to the end.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("game", |arg| arg.help("The game; the model's if absent")))]
#[command(mut_arg("preset", |arg| arg.help("Rule set by name, which the options below change; the model's rules if absent")))]
pub struct TruthArgs {
    /// A model folder or a run; `:visits=64` sets the level of the search.
    pub model: String,
    /// Visits of the search, as `:visits=N` behind the model.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub visits: Option<u32>,
    /// Jungle: tables of up to so many animals; 3 if absent. Celestial: endings with at most so
    /// many; 6 if absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=MOST_CELESTIAL as i64))]
    pub pieces: Option<u8>,
    /// Jungle: positions of each stratum: signature, value, and band of distances.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub each: u32,
    /// Jungle: won positions that are played out against a perfect defender.
    #[arg(long, default_value_t = 200)]
    pub games: usize,
    /// Celestial: endings, each from a random game of its own.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub positions: u32,
    /// Names the sample.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; the result does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Write all figures, group by group, and the worst positions as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the headline figures into the model's card.
    #[arg(long)]
    pub write_card: bool,
    /// How many of the worst positions are listed.
    #[arg(long, default_value_t = 10)]
    pub worst: usize,
    #[command(flatten)]
    pub house: HouseRules,
}

/// Measures and prints.
pub fn run(args: &TruthArgs, data: &Path) -> anyhow::Result<()> {
    let contestant = Contestant::load(&args.model, data)?;
    if contestant.tables().is_some() {
        let wrong = "a model is measured without tables: leave `:tables=` out";
        return Err(Usage(format!("`{}`: {wrong}", args.model)).into());
    }
    let Some(brain) = contestant.brain() else {
        return Err(Usage(format!("`{}` has no network to measure", args.model)).into());
    };
    if args.write_card && brain.card.is_none() {
        let wrong = "is a run and has no card; `export` makes a model of it";
        return Err(Usage(format!("`{}` {wrong}", args.model)).into());
    }
    let game = common_game(args.house.build_if_given()?, &[&contestant])?;
    let found = match &game {
        AnyGame::Jungle(game) => of_jungle(args, data, game, &contestant, brain)?,
        AnyGame::Celestial(game) => of_celestial(args, game, &contestant, brain)?,
        other => {
            let name = with_game!(other, game => game.name());
            return Err(Usage(format!(
                "nothing solves endings of {name}; jungle has endgame tables, and endings of \
                 celestial are searched to the end"
            ))
            .into());
        }
    };
    let taught = brain.taught_by_tables;
    if let AnyGame::Jungle(_) = game {
        tell!(
            "tables taught this model: {}",
            taught.map_or("not known", |it| if it { "yes" } else { "no" })
        );
    }
    found.print_worst()?;
    if let Some(path) = &args.json {
        let mut record = found.record.clone();
        record["model"] = args.model.clone().into();
        record["taught_by_tables"] = taught.into();
        let text = serde_json::to_string_pretty(&record)? + "\n";
        crate::disk::atomic::write(path, text.as_bytes())?;
    }
    if let Some((folder, card)) = brain.card.as_ref().filter(|_| args.write_card) {
        let mut card = card.clone();
        card.truth = toml::Table::try_from(&found.headline)?;
        if let Some(taught) = taught {
            card.truth.insert(nn::TAUGHT_BY_TABLES.into(), taught.into());
        }
        nn::replace_card(folder, &card)?;
        tell!("written down in {}", folder.join(nn::CARD_FILE).display());
    }
    Ok(())
}

/// What a model made of a sample.
struct Found {
    /// What goes onto the card.
    headline: serde_json::Value,
    /// All figures.
    record: serde_json::Value,
    /// The positions on which the network was surest of what is not true: text, truth, opinion.
    worst: Vec<(String, String, Judged)>,
}

fn of_jungle(
    args: &TruthArgs,
    data: &Path,
    game: &Jungle,
    contestant: &Contestant,
    brain: &Brain,
) -> anyhow::Result<Found> {
    let pieces = usize::from(args.pieces.unwrap_or(3));
    if pieces > MOST_ANIMALS {
        return Err(Usage(format!("no table has {pieces} animals, but {MOST_ANIMALS}")).into());
    }
    let tables = Tables::open(game, data, pieces).map_err(tables::opened)?;
    let (asked, complete) = tables::asked(&tables, game, pieces);
    if args.write_card && !complete {
        let wrong = "a card is only written with all tables of up to so many animals as it names";
        return Err(Unusable(format!("{wrong}: here are {asked}")).into());
    }
    tell!("tables: {asked}");
    let samples = sample(&tables, args.each as usize, args.seed);
    let mut found = measure(args, game, contestant, brain, &samples)?;
    let make = || player(args, contestant, game);
    let conversion = convert(game, &tables, &samples, args.games, &make, args.threads as usize)?;
    let Conversion { games, quick, won } = conversion;
    let share = |part: u64| rounded(part as f64 / games.max(1) as f64, 4);
    tell!(
        "conversion: of {games} won positions {} won within the shortest way and 10 plies, {} at \
         all",
        percent(share(quick)),
        percent(share(won))
    );
    let rules = tables.book().hash();
    for (key, value) in [
        ("against", json!("endgame tables")),
        ("rules", json!(rules)),
        ("pieces", json!(pieces)),
        ("each", json!(args.each)),
        ("conversion_games", json!(games)),
        ("conversion_quick", json!(share(quick))),
        ("conversion", json!(share(won))),
    ] {
        found.headline[key] = value;
    }
    for (key, value) in [
        ("rules", json!(rules)),
        ("pieces", json!(pieces)),
        ("each", json!(args.each)),
        ("conversion", json!(conversion)),
    ] {
        found.record[key] = value;
    }
    Ok(found)
}

fn of_celestial(
    args: &TruthArgs,
    game: &Celestial,
    contestant: &Contestant,
    brain: &Brain,
) -> anyhow::Result<Found> {
    let animals = u32::from(args.pieces.unwrap_or(6));
    let asked = Endings {
        positions: args.positions as usize,
        animals,
        seed: args.seed,
        capacity: CAPACITY,
    };
    let begun = std::time::Instant::now();
    let solved = endings(game, &asked, args.threads as usize)?;
    tell!(
        "{} endings with at most {animals} animals searched to the end in {:.1} s; {} left out, \
         which have more than {CAPACITY} positions below them",
        solved.samples.len(),
        begun.elapsed().as_secs_f64(),
        solved.too_large
    );
    let mut found = measure(args, game, contestant, brain, &solved.samples)?;
    // The same by points, where fewer actions are right.
    let mut network = evaluator(game, brain.weights.clone())?;
    let judged = judge(game, &solved.by_points, &mut network)?;
    let make = || player(args, contestant, game);
    let kept = searched(game, &solved.by_points, &make, args.threads as usize)?;
    let rates = rows(&solved.by_points, &judged, &kept).first().map(|row| row.rates);
    let rates = rates.unwrap_or_default();
    let searched = rates.searched.unwrap_or_default();
    let random = chance(&solved.by_points).kept;
    tell!(
        "the greatest difference of points is kept by the policy in {}, by the search in {}, by a \
         random action in {}",
        percent(rates.kept),
        percent(searched),
        percent(random)
    );
    for record in [&mut found.headline, &mut found.record] {
        record["animals"] = animals.into();
        record["too_large"] = solved.too_large.into();
        record["points_policy"] = rounded(rates.kept, 4).into();
        record["points_search"] = rounded(searched, 4).into();
        record["points_random_move"] = rounded(random, 4).into();
    }
    found.headline["against"] = "search to the end".into();
    Ok(found)
}

fn evaluator<G: Encode>(
    game: &G,
    weights: Arc<EngineWeights>,
) -> Result<NetworkEvaluator<G>, Unusable> {
    NetworkEvaluator::new(game.clone(), weights).map_err(|error| Unusable(error.to_string()))
}

/// The player that is measured.
fn player<G: Encode + Notation + StaticEvaluation>(
    args: &TruthArgs,
    contestant: &Contestant,
    game: &G,
) -> Result<Box<dyn Player<G>>, PlayerError> {
    let mut player = contestant.player(game)?;
    if let Some(visits) = args.visits {
        player.set_visits(visits);
    }
    Ok(player)
}

/// Asks the network and the search about the samples and prints what came out.
fn measure<G: Encode + Notation + StaticEvaluation>(
    args: &TruthArgs,
    game: &G,
    contestant: &Contestant,
    brain: &Brain,
    samples: &[Sample<G>],
) -> anyhow::Result<Found> {
    if samples.is_empty() {
        return Err(Unusable(String::from("there is no position to measure")).into());
    }
    let judged = judge(game, samples, &mut evaluator(game, brain.weights.clone())?)?;
    let shape = *brain.weights.shape();
    let fresh = Net::init(shape, &brain.network, args.seed, &nn::cpu())?;
    let fresh = Arc::new(EngineWeights::new(&fresh));
    let untrained = rows(samples, &judge(game, samples, &mut evaluator(game, fresh)?)?, &[]);
    let make = || player(args, contestant, game);
    let visits = make()?.visits().unwrap_or(DEFAULT_VISITS);
    let kept = searched(game, samples, &make, args.threads as usize)?;
    let measured = rows(samples, &judged, &kept);
    let chance = chance(samples);
    print(&measured, untrained.first(), chance)?;
    let all = measured.first().map(|row| row.rates).unwrap_or_default();
    let fresh = untrained.first().map(|row| row.rates).unwrap_or_default();
    let short = |share: f64| rounded(share, 4);
    Ok(Found {
        headline: json!({
            "positions": samples.len(), "seed": args.seed, "visits": visits,
            "sign": short(all.sign), "policy": short(all.kept),
            "search": short(all.searched.unwrap_or_default()),
            "untrained_sign": short(fresh.sign), "untrained_policy": short(fresh.kept),
            "random_move": short(chance.kept), "constant_value": short(chance.sign),
        }),
        record: json!({
            "game": game.name(), "seed": args.seed, "visits": visits,
            "positions": samples.len(), "rows": measured, "untrained": untrained.first(),
            "random_move": chance.kept, "constant_value": chance.sign,
        }),
        worst: Vec::new(),
    }
    .with_worst(worst(game, samples, &judged, args.worst)))
}

impl Found {
    fn with_worst(mut self, worst: Vec<(String, String, Judged)>) -> Self {
        let told = worst.iter().map(|(text, truth, judged)| {
            json!({"position": text, "truth": truth, "opinion": judged.opinion})
        });
        self.record["worst"] = told.collect();
        self.worst = worst;
        self
    }

    fn print_worst(&self) -> std::io::Result<()> {
        tell!("\nworst positions (result; the network's win, draw, loss):");
        for (text, truth, judged) in &self.worst {
            let nn = judged.opinion;
            tell!("{text}  {truth}  {:.2} {:.2} {:.2}", nn.win, nn.draw, nn.loss);
        }
        Ok(())
    }
}

fn worst<G: Notation>(
    game: &G,
    samples: &[Sample<G>],
    judged: &[Judged],
    most: usize,
) -> Vec<(String, String, Judged)> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let error = |index: usize| judged[index].error(samples[index].exact.value);
    order.sort_by(|&a, &b| error(b).total_cmp(&error(a)));
    order.truncate(most);
    let of = |index: usize| {
        let exact = samples[index].exact;
        let truth = match exact.value {
            Value::Draw => exact.value.word().into(),
            value if exact.plies == 0 => value.word().into(),
            value => format!("{} in {}", value.word(), exact.plies),
        };
        (game.position_text(&samples[index].position), truth, judged[index])
    };
    order.into_iter().map(of).collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn print(rows: &[Row], untrained: Option<&Row>, chance: Rates) -> std::io::Result<()> {
    tell!("{:<24} {:>9} {:>8} {:>8} {:>8}", "", "positions", "sign", "policy", "search");
    let line = |name: &str, positions: String, rates: Rates| -> std::io::Result<()> {
        tell!(
            "{name:<24} {positions:>9} {:>8} {:>8} {:>8}",
            percent(rates.sign),
            percent(rates.kept),
            rates.searched.map_or(String::new(), percent)
        );
        Ok(())
    };
    // The groups of a game's own, the signatures, are too many to read.
    let told = rows.iter().filter(|row| !row.is_own);
    for row in told.clone() {
        line(&row.name, row.positions.to_string(), row.rates)?;
    }
    let left_out = rows.len() - told.count();
    if left_out > 0 {
        tell!("({left_out} signatures, each with its own figures: `--json FILE`)");
    }
    tell!("");
    if let Some(row) = untrained {
        line("untrained network", row.positions.to_string(), row.rates)?;
    }
    line("chance", String::new(), chance)
}
