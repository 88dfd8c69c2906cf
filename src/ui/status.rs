//! How a run is doing, in plain words: each figure with what it means and what is normal.

use crate::arena::rating::rounded;
use crate::learn::Budget;
use crate::train::Status;
use crate::train::status::Rung;
use serde_json::Value;

/// The status of a run as paragraphs; the caller adds what the run is called and what to do next.
pub fn status_text(status: &Status) -> String {
    if !status.begun {
        return String::from("Nothing is done yet.\n");
    }
    let mut lines = vec![how_far(status)];
    lines.extend(status.selfplay.as_ref().map(selfplay));
    lines.extend(status.lesson.as_ref().map(|lesson| learning(status, lesson)));
    lines.push(ladder(&status.ladder));
    lines.push(alarms(status));
    let told = |(file, lines): &(String, usize)| {
        format!("{file}: {} could not be read.\n", counted(*lines as u64, "line"))
    };
    lines.extend(status.unreadable.iter().map(told));
    lines.join("\n")
}

fn how_far(status: &Status) -> String {
    let mut text = format!(
        "How far: {:.0} % of {}: {}, {}, {} in {} of work ({} of CPU time).",
        100.0 * status.progress,
        budget(&status.budget),
        counted(status.generation, "generation"),
        counted(status.games, "game"),
        counted(status.steps, "step"),
        time(status.spent.seconds),
        time(status.spent.cpu_seconds)
    );
    let more = [
        (status.waiting_games, "more are safe on the disk, to be learnt from next"),
        (status.inherited_games, "came along from the run it was forked from"),
    ];
    for (games, what) in more.into_iter().filter(|&(games, _)| games > 0) {
        text += &format!(" {games} games {what}.");
    }
    match status.seconds_left {
        _ if status.over => text += " It is at its end.",
        Some(left) => text += &format!(" About {} are left.", time(left)),
        None => text += " How long it will take is known after the first generation.",
    }
    if let Some(step) = status.decay_step {
        text += &format!(" The final decay of the learning rate began at step {step}.");
    }
    text + "\n"
}

/// `1 game`, `2 games`.
fn counted(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// A loss; one of -0.0001 does not read as -0.000.
fn loss(value: f64) -> String {
    format!("{:.3}", rounded(value, 3))
}

/// What ends the run, in words.
fn budget(budget: &Budget) -> String {
    let count = |count: u64, unit: &str| (count > 0).then(|| counted(count, unit));
    let limits = [
        count(budget.generations, "generation"),
        count(budget.games, "game"),
        count(budget.steps, "step"),
        (budget.hours > 0.0).then(|| format!("{} hours", budget.hours)),
        (budget.cpu_minutes > 0.0).then(|| format!("{} CPU minutes", budget.cpu_minutes)),
    ];
    limits.into_iter().flatten().collect::<Vec<_>>().join(" or ")
}

fn selfplay(line: &Value) -> String {
    let number = |key: &str| line[key].as_f64().unwrap_or(0.0);
    // Of games that were there already when the process began, nobody knows what they took.
    let rate = |key: &str, digits: usize| {
        let known = line[key].as_f64();
        known.map_or(String::from("not known"), |rate| format!("{rate:.digits$}"))
    };
    let rows = [
        row("games a second", rate("games_per_second", 1), "the higher, the faster the run"),
        row(
            "evaluations a second",
            rate("evaluations_per_second", 0),
            "positions that the network looks at",
        ),
        row(
            "plies a game",
            format!("{:.0}", number("mean_plies")),
            "long at first, shorter once it finds wins",
        ),
        row(
            "drawn or cut",
            percent((number("draws") + number("cut")) / number("games").max(1.0)),
            "much at first; it should fall, unless the game is drawn by nature",
        ),
        row(
            "different openings",
            format!("{:.0} of {:.0}", number("distinct_at_8"), number("games")),
            "beginnings of 8 plies; a few only would mean it plays the same again and again",
        ),
        row(
            "entropy of targets",
            format!("{:.2}", number("target_entropy")),
            "nats; near 0 the search sees one move only, near 2 or more it sees no difference",
        ),
    ];
    format!("Self-play, generation {}:\n{}", line["generation"], aligned_left(&rows))
}

fn learning(status: &Status, line: &Value) -> String {
    let title = match line["generation"].as_u64() {
        Some(0) => String::from("Learning, warm-up"),
        _ => format!("Learning, generation {}", line["generation"]),
    };
    if line["steps"] == 0 {
        let idle = line["idle"].as_str().unwrap_or("the reuse allows none yet");
        return format!("{title}: no step; {idle}.\n");
    }
    let now = Status::losses(line);
    let first = status.first_lesson.as_ref().map(Status::losses).unwrap_or(now);
    let number = |key: &str| line[key].as_f64().unwrap_or(0.0);
    let mut rows = vec![
        row(
            "policy loss",
            loss(now.policy),
            &format!(
                "from {}; 0 would be the search's own choice, it need not get there",
                loss(first.policy)
            ),
        ),
        row(
            "policy right",
            percent(now.policy_accuracy),
            "how often its first move is the search's",
        ),
        row(
            "value loss",
            loss(now.value),
            &format!(
                "from {}; 1.099 is guessing, a game open to the end stays high",
                loss(first.value)
            ),
        ),
        row("value right", percent(now.value_accuracy), "how often it names the result"),
    ];
    let held_out = Status::losses(&line["held_out"]);
    if !line["held_out"].is_null() {
        let gap = held_out.policy + held_out.value - now.policy - now.value;
        rows.push(row(
            "gap to games held out",
            format!("{:+.3}", rounded(gap, 3)),
            "near 0 it understands; growing, it learns by heart",
        ));
    }
    rows.push(row(
        "reuse",
        format!("{:.2}", number("reuse")),
        "samples learnt for each position; close to replay.reuse",
    ));
    rows.push(row(
        "steps refused",
        format!("{:.0}", number("refused")),
        "0 is normal; a few are survived",
    ));
    format!("{title}:\n{}", aligned_left(&rows))
}

fn ladder(rungs: &[Rung]) -> String {
    let Some(last) = rungs.last() else {
        return String::from("Strength: not measured yet.\n");
    };
    let names = last.scores.iter().map(|score| score.opponent.clone());
    let mut rows = vec![[String::from("generation"), names.collect::<Vec<_>>().join("  ")]];
    for rung in rungs {
        let cells = rung.scores.iter().map(|score| {
            let text = format!("{:.0}±{:.0}", 100.0 * score.score, 50.0 * (score.high - score.low));
            format!("{text:>0$}", score.opponent.chars().count())
        });
        rows.push([rung.generation.to_string(), cells.collect::<Vec<_>>().join("  ")]);
    }
    format!(
        "Strength: points in a hundred games against fixed opponents, with {} simulations a move\n\
         (50 is even; random falls first, alphabeta:4 takes a good run):\n{}",
        last.visits,
        aligned_left(&rows)
    )
}

fn alarms(status: &Status) -> String {
    if status.alarms.is_empty() {
        return String::from("Alarms: none.\n");
    }
    let shown = 5;
    let mut text = format!("Alarms: {}", status.alarms.len());
    text += if status.alarms.len() > shown { ", the newest:\n" } else { ":\n" };
    for alarm in status.alarms.iter().rev().take(shown).rev() {
        text += &format!("  generation {}: {}\n", alarm.generation, alarm.text);
    }
    text
}

fn row(name: &str, value: String, meaning: &str) -> [String; 3] {
    [name.to_string(), value, meaning.to_string()]
}

/// Indented rows, every column to the left.
fn aligned_left<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let mut text = String::new();
    for row in rows {
        let cells = (0..N).map(|column| format!("{:<1$}", row[column], width(column).unwrap_or(0)));
        text += &format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A stretch of time, to two units.
pub fn time(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Spent;
    use crate::train::Alarm;
    use crate::train::status::Score;

    fn example() -> Status {
        let spent = Spent { seconds: 3700.0, cpu_seconds: 7300.0 };
        let score = |opponent: &str, score: f64| {
            let opponent = String::from(opponent);
            Score { opponent, games: 40, score, low: score - 0.1, high: score + 0.1 }
        };
        let rung = |generation, a, b| Rung {
            generation,
            visits: 64,
            scores: vec![score("random", a), score("alphabeta:2", b)],
        };
        Status {
            begun: true,
            generation: 10,
            games: 2000,
            inherited_games: 500,
            waiting_games: 24,
            steps: 1200,
            positions: 90_000,
            samples: 300_000,
            spent,
            last: spent,
            budget: Budget { hours: 4.0, ..Budget::default() },
            over: false,
            progress: 0.25,
            seconds_left: Some(11_100.0),
            decay_step: None,
            selfplay: Some(
                serde_json::json!({"generation": 10, "games": 200, "draws": 30, "cut": 10,
                "mean_plies": 61.2, "games_per_second": 3.04, "distinct_at_8": 199}),
            ),
            first_lesson: Some(serde_json::json!({"policy": 1.9, "value": 1.1})),
            lesson: Some(serde_json::json!({"generation": 10, "steps": 120, "policy": 0.4,
                "value": 0.7, "policy_accuracy": 0.62, "reuse": 3.99,
                "held_out": {"policy": 0.45, "value": 0.75}})),
            ladder: vec![rung(0, 0.5, 0.1), rung(10, 0.9, 0.4)],
            unreadable: vec![(String::from("ladder.jsonl"), 2)],
            alarms: vec![Alarm {
                generation: 3,
                kind: String::from("draws"),
                text: String::from("too many"),
            }],
        }
    }

    #[test]
    fn a_run_is_told_in_plain_words() {
        let text = status_text(&example());
        for told in [
            "How far: 25 % of 4 hours: 10 generations, 2000 games, 1200 steps in 1 h 1 min of work",
            "24 games more are safe on the disk, to be learnt from next. 500 games came along",
            "About 3 h 5 min are left.",
            "Self-play, generation 10:\n  games a second        3.0         the higher",
            "  evaluations a second  not known   positions that",
            "Learning, generation 10:\n",
            "  drawn or cut          20 %        much",
            "  policy loss            0.400   from 1.900; 0 would be",
            "  gap to games held out  +0.100  near 0",
            "  generation  random  alphabeta:2\n  0            50±10        10±10\n",
            "  generation 3: too many\n",
            "ladder.jsonl: 2 lines could not be read.\n",
        ] {
            assert!(text.contains(told), "{told}\n---\n{text}");
        }
        let over = Status { unreadable: vec![], ..example() };
        let over = Status { over: true, alarms: vec![], decay_step: Some(7), ..over };
        let text = status_text(&over);
        assert!(text.contains("It is at its end. The final decay of the learning rate began at"));
        assert!(text.ends_with("Alarms: none.\n"), "{text}");
        assert_eq!(status_text(&Status { begun: false, ..over }), "Nothing is done yet.\n");
    }

    #[test]
    fn a_lesson_without_steps_says_why() {
        let lesson = serde_json::json!({"generation": 1, "steps": 0, "idle": "no games"});
        let text = status_text(&Status { lesson: Some(lesson), ..example() });
        assert!(text.contains("Learning, generation 1: no step; no games.\n"), "{text}");
    }
}
