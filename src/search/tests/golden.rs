//! Whole trees as text: any change of what a search does shows here.

use super::*;
use crate::search::gumbel::GumbelRule;
use crate::search::puct::PuctRule;

/// First acts thrice, then Second twice; draws, ends for both, and a way back to the start.
const GAME: &str = "
    s 1: .p .q a
    .p 1: .p2 l
    .p2 1: r d
    .q 1: a b
    a 2: .r s
    b 2: s w
    .r 2: l d s
    r 2: .r a
    l = 2
    w = 1
    d = draw
";

fn tree<R: Rule>(leaves: u32, explore: bool, kind: SearchKind) -> String {
    let toy = Toy::new(GAME).with_draw_at(3);
    let mut search = Simulator::<Toy, R>::new(&settings(kind));
    let plan = Plan { visits: 24, leaves, explore, seed: 7 };
    let report = search_once(&mut search, &Line::start(&toy), &plan, &mut Fixed).unwrap();
    check(&report);
    format!("{}\n{}", brief(&toy, &report), picture(&toy, &search))
}

const GUMBEL: &str = "\
.p:4:0.000 .q:10:1.000 a:10:0.000 best .q value -0.000
s 25 -0.114
 .p 4 -0.324
  .p2 2 -0.266
   d 1 +0.000 = draw in 0
  l 1 -1.000 = 2 in 0
 .q 10 +0.000
  a 1 -0.344
  b 8 +0.055
   s 6 -0.164
    .p 2 -0.383
     l 1 -1.000 = 2 in 0
    .q 2 +0.164
     b 1 +0.422
    a 1 -0.344
   w 1 +1.000 = 1 in 0
 a 10 -1.000 = 2 in 2
  s 7 +0.002
   .p 2 -0.383
    l 1 -1.000 = 2 in 0
   .q 3 +0.443
    b 2 +0.711
     w 1 +1.000 = 1 in 0
   a 1 -0.344
  .r 2 -1.000 = 2 in 1
   l 1 -1.000 = 2 in 0
";

#[test]
fn a_gumbel_search() {
    assert_eq!(tree::<GumbelRule>(1, false, SearchKind::Gumbel), GUMBEL);
}

const GUMBEL_EXPLORING: &str = "\
.p:4:0.000 .q:10:0.743 a:10:0.257 best .q value -0.018
s 25 -0.088
 .p 4 -0.324
  .p2 2 -0.266
   d 1 +0.000 = draw in 0
  l 1 -1.000 = 2 in 0
 .q 10 +0.000
  a 1 -0.344
  b 8 +0.055
   s 6 -0.164
    .p 2 -0.383
     l 1 -1.000 = 2 in 0
    .q 2 +0.164
     b 1 +0.422
    a 1 -0.344
   w 1 +1.000 = 1 in 0
 a 10 -0.069
  s 8 -0.041
   .p 2 -0.383
    l 1 -1.000 = 2 in 0
   .q 4 +0.246
    a 1 -0.344
    b 2 +0.711
     w 1 +1.000 = 1 in 0
   a 1 -0.344
  .r 1 -0.016
";

#[test]
fn an_exploring_gumbel_search_by_four_leaves() {
    assert_eq!(tree::<GumbelRule>(4, true, SearchKind::Gumbel), GUMBEL_EXPLORING);
}

const PUCT: &str = "\
.p:11:0.524 .q:10:0.476 a:3:0.000 best .p value -0.064
s 25 -0.153
 .p 11 +0.000 = draw in 2
  .p2 9 +0.000 = draw in 1
   r 4 -1.000 = 2 in 3
    a 3 -1.000 = 2 in 2
     .r 2 -1.000 = 2 in 1
      l 1 -1.000 = 2 in 0
   d 4 +0.000 = draw in 0
  l 1 -1.000 = 2 in 0
 .q 10 -0.134
  a 1 -0.344
  b 8 -0.113
   s 6 -0.388
    .p 2 -0.383
     l 1 -1.000 = 2 in 0
    a 3 -1.000 = 2 in 2
     .r 2 -1.000 = 2 in 1
      l 1 -1.000 = 2 in 0
   w 1 +1.000 = 1 in 0
 a 3 -1.000 = 2 in 2
  .r 2 -1.000 = 2 in 1
   l 1 -1.000 = 2 in 0
";

#[test]
fn a_puct_search() {
    assert_eq!(tree::<PuctRule>(1, false, SearchKind::Puct), PUCT);
}

const PUCT_EXPLORING: &str = "\
.p:10:0.500 .q:10:0.500 a:4:0.000 best .q value -0.066
s 25 -0.124
 .p 10 -0.089
  .p2 8 -0.016
   r 2 +0.203
    a 1 -0.344
   d 5 +0.000 = draw in 0
  l 1 -1.000 = 2 in 0
 .q 10 -0.044
  a 1 -0.344
  b 8 +0.000
   s 6 -0.237
    .p 2 -0.383
     l 1 -1.000 = 2 in 0
    .q 1 -0.094
    a 2 -0.180
     .r 1 -0.016
   w 1 +1.000 = 1 in 0
 a 4 -1.000 = 2 in 2
  s 1 -0.203
  .r 2 -1.000 = 2 in 1
   l 1 -1.000 = 2 in 0
";

#[test]
fn an_exploring_puct_search_by_four_leaves() {
    assert_eq!(tree::<PuctRule>(4, true, SearchKind::Puct), PUCT_EXPLORING);
}
