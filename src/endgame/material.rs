//! Which animals stand on the board: signatures, their names, and all there are of a size.

use super::MOST_ANIMALS;
use crate::game::Side;
use crate::game::jungle::{Kind, Position};
use std::fmt;

/// The animals of both sides, each side's from the elephant down to the rat.
///
/// Its name is the first side's letters, `v`, and the second side's: `LTvlr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    sides: [Vec<Kind>; 2],
}

/// A signature's name that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "signature `{text}`: {problem}; the first side's letters, `v`, and the second side's are \
     right, as in `LTvlr`, with 2 to {MOST_ANIMALS} animals in all"
)]
pub struct SignatureError {
    pub text: String,
    pub problem: String,
}

impl Signature {
    /// Of these animals, in any order.
    pub fn new(mut first: Vec<Kind>, mut second: Vec<Kind>) -> Signature {
        first.sort_by(|a, b| b.cmp(a));
        second.sort_by(|a, b| b.cmp(a));
        Signature { sides: [first, second] }
    }

    /// Reads a name; the letter case behind `v` is of no account.
    pub fn parse(text: &str) -> Result<Signature, SignatureError> {
        let wrong = |problem: String| SignatureError { text: text.into(), problem };
        let (first, second) =
            text.split_once('v').ok_or_else(|| wrong("there is no `v` in it".into()))?;
        let read = |letters: &str, upper: bool| {
            letters
                .chars()
                .map(|letter| {
                    Kind::from_letter(letter.to_ascii_uppercase())
                        .filter(|_| !upper || letter.is_ascii_uppercase())
                        .ok_or_else(|| wrong(format!("`{letter}` is none of RCDWPTLE")))
                })
                .collect::<Result<Vec<_>, _>>()
        };
        let (first, second) = (read(first, true)?, read(second, false)?);
        if first.is_empty() || second.is_empty() {
            return Err(wrong("one side has no animal".into()));
        }
        let count = first.len() + second.len();
        if count > MOST_ANIMALS {
            return Err(wrong(format!("{count} animals are too many")));
        }
        Ok(Signature::new(first, second))
    }

    /// The animals of a position.
    pub fn of(position: &Position) -> Signature {
        let kinds = |side| position.animals(side).map(|animal| animal.0).collect();
        Signature::new(kinds(Side::First), kinds(Side::Second))
    }

    /// A side's animals, from the elephant down.
    pub fn side(&self, side: Side) -> &[Kind] {
        &self.sides[side.index()]
    }

    /// All animals, the first side's first: the order of a table's index.
    pub fn animals(&self) -> Vec<(Side, Kind)> {
        let of = |side: Side| self.side(side).iter().map(move |&kind| (side, kind));
        of(Side::First).chain(of(Side::Second)).collect()
    }

    /// How many animals there are.
    pub fn count(&self) -> usize {
        self.sides[0].len() + self.sides[1].len()
    }

    /// With the colours exchanged.
    pub fn turned(&self) -> Signature {
        Signature { sides: [self.sides[1].clone(), self.sides[0].clone()] }
    }

    /// Which of two exchanged signatures has a table, where one serves both: more animals first,
    /// then stronger ones. `true` if it is the exchanged one.
    pub fn wants_turning(&self) -> bool {
        let rank = |side: usize| (self.sides[side].len(), &self.sides[side]);
        rank(0) < rank(1)
    }

    /// Ways to exchange animals of one side and kind among themselves.
    pub fn repeats(&self) -> u64 {
        let of = |kinds: &Vec<Kind>| -> u64 {
            let runs = kinds.chunk_by(|a, b| a == b);
            runs.map(|run| (1..=run.len() as u64).product::<u64>()).product()
        };
        of(&self.sides[0]) * of(&self.sides[1])
    }

    /// A number of its own for each signature: four bits for each side and kind.
    pub fn key(&self) -> u64 {
        self.animals().into_iter().fold(0, |key, (side, kind)| key + one(side, kind))
    }
}

/// What an animal adds to [`Signature::key`].
#[inline]
pub fn one(side: Side, kind: Kind) -> u64 {
    1 << (32 * side.index() + 4 * kind.index())
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let [first, second] = &self.sides;
        let first: String = first.iter().map(|kind| kind.letter()).collect();
        let second: String = second.iter().map(|kind| kind.letter().to_ascii_lowercase()).collect();
        write!(out, "{first}v{second}")
    }
}

/// All choices of `count` animals, at most `most[kind]` of each.
pub fn choices(most: &[usize; 8], count: usize) -> Vec<Vec<Kind>> {
    fn grow(
        most: &[usize; 8],
        from: usize,
        count: usize,
        so_far: &mut Vec<Kind>,
        out: &mut Vec<Vec<Kind>>,
    ) {
        if count == 0 {
            out.push(so_far.clone());
            return;
        }
        for index in (0..from).rev() {
            let kind = Kind::ALL[index];
            let have = so_far.iter().filter(|&&other| other == kind).count();
            if have < most[index] {
                so_far.push(kind);
                grow(most, index + 1, count - 1, so_far, out);
                so_far.pop();
            }
        }
    }
    let mut out = Vec::new();
    grow(most, 8, count, &mut Vec::new(), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (text, name) in
            [("LTvlr", "LTvlr"), ("TLvrl", "LTvlr"), ("RvE", "Rve"), ("RRvr", "RRvr")]
        {
            assert_eq!(Signature::parse(text).unwrap().to_string(), name);
        }
        for (text, problem) in [
            ("LTlr", "no `v`"),
            ("vlr", "no animal"),
            ("LTv", "no animal"),
            ("LXvr", "`X` is none"),
            ("lvr", "`l` is none"),
            ("LTWvler", "6 animals are too many"),
        ] {
            let error = Signature::parse(text).unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains(text), "{error}");
        }
    }

    #[test]
    fn choices_are_counted_by_the_binomials() {
        let one = [1; 8];
        let sizes: Vec<usize> = (0..=4).map(|count| choices(&one, count).len()).collect();
        assert_eq!(sizes, [1, 8, 28, 56, 70]);
        let mut two = one;
        two[0] = 2;
        assert_eq!(choices(&two, 2).len(), 29);
        assert_eq!(choices(&two, 3).len(), 56 + 7);
    }

    #[test]
    fn keys_and_orders() {
        let signature = Signature::parse("RRvl").unwrap();
        assert_eq!(signature.repeats(), 2);
        assert_eq!(signature.key(), 2 + (1 << (32 + 24)));
        assert!(!signature.wants_turning() && signature.turned().wants_turning());
        assert!(Signature::parse("Rvl").unwrap().wants_turning());
        assert!(!Signature::parse("LTvlr").unwrap().wants_turning());
        assert!(!Signature::parse("LTvlt").unwrap().wants_turning());
    }
}
