//! What a search found, as a table for people.

use crate::arena::ladder::aligned;
use crate::game::{Line, Notation};
use crate::search::{Proven, Report};

/// Actions without a visit that are listed all the same: those the player would try next.
const UNVISITED: usize = 3;

/// A number with its sign and so many digits, never `-0.00`.
pub fn signed(value: f32, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    if text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        text
    } else {
        text.replace('-', "+")
    }
}

/// What a search thinks of the position and of the actions that it visited, the most visited
/// first, and of the likeliest few of the others. Values are those of the side to act.
pub fn report_text<G: Notation>(line: &Line<G>, report: &Report<G>) -> String {
    let (game, position) = (line.game(), line.position());
    let proven = |proven: Option<Proven>| match proven {
        Some(Proven::Win) => "proven win",
        Some(Proven::Draw) => "proven draw",
        Some(Proven::Loss) => "proven loss",
        None => "",
    };
    let mut order: Vec<_> = report.actions.iter().collect();
    order.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.prior.total_cmp(&a.prior)));
    let visited = order.iter().filter(|entry| entry.visits > 0).count();
    // One row more is no longer than the line that tells of it.
    let shown =
        if order.len() <= visited + UNVISITED + 1 { order.len() } else { visited + UNVISITED };
    let left_out = order.len() - shown;
    let header = ["action", "visits", "value", "win", "draw", "loss", "prior", ""];
    let mut rows = vec![header.map(String::from)];
    let percent = |share: f32| format!("{:.1} %", 100.0 * share);
    for entry in &order[..shown] {
        let (value, win, draw, loss) = match entry.value {
            Some(wdl) => {
                (signed(wdl.value(), 3), percent(wdl.win), percent(wdl.draw), percent(wdl.loss))
            }
            None => (String::from("-"), String::new(), String::new(), String::new()),
        };
        let text = game.action_text(position, entry.action);
        let (visits, prior) = (entry.visits.to_string(), percent(entry.prior));
        let proven = String::from(proven(entry.proven));
        rows.push([text, visits, value, win, draw, loss, prior, proven]);
    }
    let mut expected = Vec::new();
    let mut at = position.clone();
    for &action in &report.expected {
        expected.push(game.action_text(&at, action));
        game.play(&mut at, action);
    }
    let root = report.root;
    let sure = report.proven.map_or(String::new(), |known| format!(", {}", proven(Some(known))));
    let more = match left_out {
        0 => String::new(),
        _ => format!("{left_out} more actions without a visit\n"),
    };
    format!(
        "{}{more}value {} for {} ({} win, {} draw, {} loss){sure}\nexpected: {}\n",
        aligned(&rows),
        signed(root.value(), 3),
        game.side_name(line.turn()),
        percent(root.win),
        percent(root.draw),
        percent(root.loss),
        expected.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::toy::Toy;
    use crate::search::{ActionReport, WdlPov};

    #[test]
    fn nothing_is_written_as_minus_zero() {
        assert_eq!(signed(-0.0004, 3), "+0.000");
        assert_eq!(signed(-0.0, 2), "+0.00");
        assert_eq!(signed(-0.0006, 3), "-0.001");
        assert_eq!(signed(1.0, 2), "+1.00");
    }

    #[test]
    fn of_many_actions_without_a_visit_the_likeliest_are_shown() {
        let line = Line::start(&Toy::default());
        let entry = |(index, &action)| ActionReport {
            action,
            visits: u32::from(index == 4),
            prior: 0.01 * index as f32,
            target: 0.0,
            value: None,
            proven: None,
        };
        let legal = line.legal();
        let report = Report {
            actions: legal.iter().enumerate().map(entry).collect(),
            best: 4,
            root: WdlPov::WIN,
            raw: WdlPov::WIN,
            proven: None,
            plies_left: 3.0,
            visits: 1,
            expected: Vec::new(),
        };
        assert_eq!(legal.len(), 10);
        let text = report_text(&line, &report);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 1 + 4 + 1 + 2, "{text}");
        assert!(rows[2].ends_with("9.0 %"), "{text}");
        assert_eq!(rows[5], "6 more actions without a visit");
    }

    #[test]
    fn a_table_sorted_by_visits() {
        let line = Line::start(&Toy::default());
        let legal = line.legal();
        let even = WdlPov { win: 0.25, draw: 0.5, loss: 0.25 };
        let entry = |index: usize, visits, prior, value, proven| ActionReport {
            action: legal[index],
            visits,
            prior,
            target: 0.0,
            value,
            proven,
        };
        let report = Report {
            actions: vec![
                entry(0, 0, 0.5, None, None),
                entry(1, 3, 0.125, Some(even), None),
                entry(2, 9, 0.375, Some(WdlPov::WIN), Some(Proven::Win)),
            ],
            best: 2,
            root: WdlPov::WIN,
            raw: even,
            proven: Some(Proven::Win),
            plies_left: 3.0,
            visits: 12,
            expected: vec![legal[2]],
        };
        let text = "\
action  visits   value      win    draw    loss   prior
b1a2         9  +1.000  100.0 %   0.0 %   0.0 %  37.5 %  proven win
a1b2         3  +0.000   25.0 %  50.0 %  25.0 %  12.5 %
a1a2         0       -                           50.0 %
value +1.000 for white (100.0 % win, 0.0 % draw, 0.0 % loss), proven win
expected: b1a2
";
        assert_eq!(report_text(&line, &report), text);
    }
}
