//! A perfect player is found perfect, and one that knows nothing is not.

use super::*;
use crate::arena::player::{Choice, Player};
use crate::endgame::{Signature, Tables, Value, solve};
use crate::game::jungle::{Jungle, Rules};
use crate::game::{Game, Line};
use crate::search::WdlPov;
use crate::search::evaluator::{Evaluation, Evaluator, Leaf, Uniform};
use std::sync::Arc;

#[derive(Clone)]
struct Perfect(Arc<Tables>);

impl Evaluator<Jungle> for Perfect {
    fn evaluate(
        &mut self,
        leaves: &[Leaf<Jungle>],
        out: &mut Vec<Evaluation>,
    ) -> Result<(), EvalError> {
        out.clear();
        for leaf in leaves {
            let best = self.0.moves(&leaf.position)[0].0;
            out.push(Evaluation {
                value: match self.0.probe(&leaf.position).unwrap().value {
                    Value::Win => WdlPov::WIN,
                    Value::Draw => WdlPov::DRAW,
                    Value::Loss => WdlPov::LOSS,
                },
                logits: leaf.actions.iter().map(|&a| f32::from(u8::from(a == best))).collect(),
                ..Evaluation::default()
            });
        }
        Ok(())
    }
}

impl Player<Jungle> for Perfect {
    fn name(&self) -> String {
        "perfect".into()
    }

    fn begin(&mut self, _seed: u64) {}

    fn choose(
        &mut self,
        line: &Line<Jungle>,
    ) -> Result<Choice<<Jungle as Game>::Action>, PlayerError> {
        Ok(Choice::plain(self.0.moves(line.position())[0].0))
    }
}

fn tables(game: &Jungle) -> Arc<Tables> {
    let mut tables = Tables::new(game).unwrap();
    let book = tables.book().clone();
    for name in ["Evl", "Evr", "Lvr", "ELvr"] {
        let signature = book.canonical(&Signature::parse(name).unwrap()).0;
        tables.insert(solve::solve(&book, &signature, &tables, 1, &()).unwrap());
    }
    Arc::new(tables)
}

#[test]
fn perfection_is_recognised_and_chance_is_not_perfection() {
    let game = Jungle::new(Rules::default()).unwrap();
    let tables = tables(&game);
    let samples = sample(&tables, 6, 1);
    assert!(samples.len() > 60, "{}", samples.len());
    let again: Vec<_> = sample(&tables, 6, 1).into_iter().map(|sample| sample.position).collect();
    assert!(samples.iter().map(|sample| &sample.position).eq(&again));
    for sample in &samples {
        assert!(game.is_reserved(&sample.position));
        assert_eq!(tables.probe(&sample.position), Some(sample.exact));
    }
    let perfect = Perfect(tables.clone());
    let judged = judge(&game, &samples, &mut perfect.clone()).unwrap();
    let make = || Ok(Box::new(perfect.clone()) as Box<dyn Player<Jungle>>);
    let kept = searched(&game, &samples, &make, 2).unwrap();
    for row in rows(&samples, &judged, &kept) {
        let Rates { sign, kept, searched } = row.rates;
        assert_eq!((sign, kept, searched), (1.0, 1.0, Some(1.0)), "{}", row.name);
    }
    let conversion = convert(&game, &tables, &samples, 20, &make, 2).unwrap();
    assert!(conversion.games > 10);
    assert_eq!((conversion.quick, conversion.won), (conversion.games, conversion.games));
    let idle = judge(&game, &samples, &mut Uniform).unwrap();
    let rows = rows(&samples, &idle, &[]);
    assert_eq!(rows[0].name, "all");
    assert!(rows[0].rates.sign < 0.5 && rows[0].rates.searched.is_none());
    let chance = chance(&samples);
    assert!(chance.kept > 0.3 && chance.kept < 1.0 && chance.sign < 0.8, "{chance:?}");
}
