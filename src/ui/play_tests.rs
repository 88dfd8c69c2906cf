//! Sessions at the toy game, driven as by a pipe.

use super::*;
use crate::arena::alphabeta::AlphaBeta;
use crate::arena::baseline::Greedy;
use crate::arena::searcher::SearchPlayer;
use crate::arena::searcher::tests::{RootOnly, plan};
use crate::arena::toy::Toy;
use crate::search::evaluator::Uniform;
use crate::ui::board::Pieces;
use crate::ui::style::Colour;

fn options(seat: &str) -> PlayOptions {
    let style = BoardStyle { pieces: Pieces::Letters, colour: Colour::Plain };
    PlayOptions { seat: seat.parse().unwrap(), style, prompt: false, seed: 1 }
}

fn transcript_of(
    game: &Toy,
    player: Box<dyn Player<Toy>>,
    options: PlayOptions,
    input: &[u8],
) -> String {
    let mut output = Vec::new();
    play(&Line::start(game), player, options, input, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn transcript(seat: &str, input: &str) -> String {
    transcript_of(&Toy::default(), Box::new(AlphaBeta::new(3)), options(seat), input.as_bytes())
}

fn searcher() -> Box<dyn Player<Toy>> {
    Box::new(SearchPlayer::new(
        "uniform:4",
        Box::new(RootOnly::default()),
        Box::new(Uniform),
        plan(4),
    ))
}

#[test]
fn a_whole_game_of_two_people() {
    let text = transcript("both", "b1c2\na5a4\nc2c3\na4a3\nc3d4\na3a2\nd4c5\nmoves\nundo\nd4d5\n");
    let expected_start = "\
The player is alphabeta:3. You play both sides: white has capital letters, black small letters; `help` explains the board and the commands.

5  b  b  b  b    left 1
4  .  .  .  .
3  ~  .  .  ^
2  .  .  .  .
1  W  W  W  W
   a  b  c  d
white to act, ply 0

5  b  b  b  b    left 1
4  .  .  .  .
3  ~  .  .  ^
2  .  . [W] .
1  W [*] W  W
   a  b  c  d
black to act, ply 1
";
    assert!(text.starts_with(expected_start), "{text}");
    assert!(text.contains("white wins because the far rank was reached"), "{text}");
    assert!(text.contains("The game is over; `new` begins another, `undo` goes back."), "{text}");
    assert!(text.ends_with("(`moves` lists the legal actions, `help` the commands)\n"), "{text}");
}

#[test]
fn the_player_answers() {
    let text = transcript("first", "a1a2\nboard\nquit\nnever read\n");
    assert_eq!(text.matches("black plays ").count(), 1, "{text}");
    assert_eq!(text.matches("white to act, ply 2").count(), 2, "{text}");
    let text = transcript("second", "");
    assert_eq!(text.matches("white plays ").count(), 1, "{text}");
    assert!(text.ends_with("black to act, ply 1\n"), "{text}");
    // With several actions in a turn the person keeps the turn and the player takes all of its own.
    let game = Toy { acts: 2, ..Toy::default() };
    let text = transcript_of(&game, Box::new(Greedy::default()), options("first"), b"a1a2\na2a3\n");
    assert!(text.contains("white to act, ply 1"), "{text}");
    assert_eq!(text.matches("black plays ").count(), 2, "{text}");
    assert!(text.ends_with("white to act, ply 4\n"), "{text}");
}

#[test]
fn the_player_plays_alone() {
    let text = transcript("none", "undo\nside both\nundo\n");
    assert!(text.contains(" wins because "), "{text}");
    assert!(text.contains("nobody has acted but the player"), "{text}");
    assert!(text.trim_end().lines().last().unwrap().contains(" to act, ply "), "{text}");
}

#[test]
fn questions_are_answered() {
    let text = transcript("both", "moves\nmoves a1\nmoves d9\nposition\nhint\neval\nhelp\n");
    assert!(text.contains("\na1a2 a1b2 b1a2 b1b2 b1c2 c1b2 c1c2 c1d2 d1c2 d1d2\n"), "{text}");
    assert!(text.contains("a1a2  the pawn on a1 steps to a2\na1b2  the pawn"), "{text}");
    assert!(text.contains("no legal action begins with `d9`"), "{text}");
    assert!(text.contains("bbbb/..../..../..../WWWW f 1\n"), "{text}");
    assert!(
        text.contains(": the pawn on ")
            && text.contains(" (score ")
            && text.contains(" for white)\n")
    );
    assert!(text.contains("alphabeta:3 weighs no action but its own choice"), "{text}");
    assert!(text.contains("\n  an action    plays it"), "{text}");
    assert!(text.contains("animals      B pawn, W pawn"), "{text}");
    assert!(text.contains("ground       . free, ~ water, ^ trap, * den, [ ] the last action"));
}

#[test]
fn a_search_shows_its_table_and_has_a_level() {
    let input = b"eval\nlevel 9\neval\nlevel x\n";
    let text = transcript_of(&Toy::default(), searcher(), options("both"), input);
    assert!(text.starts_with("The player is uniform:4, 4 visits. You play both "), "{text}");
    assert!(text.contains("action  visits   value     win    draw    loss   prior\n"), "{text}");
    assert!(text.contains("a1a2         1  +0.000  25.0 %  50.0 %  25.0 %  10.0 %\n"), "{text}");
    assert!(
        text.contains("value +0.000 for white (25.0 % win, 50.0 % draw, 25.0 % loss)\n"),
        "{text}"
    );
    assert!(text.contains("expected: a1a2\n9 visits an action\n"), "{text}");
    assert!(text.ends_with("level `x` is not a number of visits from 1 to 10000000\n"), "{text}");
    assert!(transcript("both", "level 9\n").ends_with("alphabeta:3 has no level to set\n"));
}

#[test]
fn wrong_input_is_explained_and_changes_nothing() {
    let text = transcript("both", "a1a5\n\n   \nside third\nundo\nboard\n");
    assert!(text.contains("`a1a5` is not a legal action here\n"), "{text}");
    assert!(text.contains("no side `third`; there are first, second, both and none"), "{text}");
    assert!(text.contains("there is no action of yours to take back"), "{text}");
    assert!(text.ends_with("white to act, ply 0\n"), "{text}");
    let text = transcript_of(&Toy::default(), searcher(), options("both"), b"\xff\xfe\n\0\nquit");
    assert!(text.contains("is not a legal action here"), "{text}");
}

#[test]
fn a_forbidden_repetition_is_explained() {
    let game = Toy { retreat: true, forbidden: Some(2), ..Toy::default() };
    let input = b"a1a2\nd5d4\na2a1\nd4d5\n";
    let text = transcript_of(&game, Box::new(Greedy::default()), options("both"), input);
    assert!(
        text.ends_with("`d4d5` would repeat a position once more than the rules allow\n"),
        "{text}"
    );
}

#[test]
fn actions_and_commands_are_read_as_people_type_them() {
    let text = transcript("both", "A1-A2\nMOVES\nmoves A5\na5 A4\nQuit\n");
    assert!(text.contains("a5a4  the pawn on a5 steps to a4"), "{text}");
    assert!(text.ends_with("white to act, ply 2\n"), "{text}");
}

#[test]
fn undo_goes_back_to_the_persons_turn() {
    let text = transcript("first", "a1a2\nundo\nd1d2\nresign\nundo\n");
    assert!(text.contains("black wins because white resigned"), "{text}");
    let plies: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("white to act, ply ")).collect();
    assert_eq!(plies, ["0", "2", "0", "2", "2"]);
    let again = transcript("first", "a1a2\nnew\n");
    assert!(again.ends_with("white to act, ply 0\n"), "{again}");
}

#[test]
fn a_prompt_only_for_a_keyboard() {
    let with = PlayOptions { prompt: true, ..options("both") };
    let text = transcript_of(&Toy::default(), searcher(), with, b"a1a2\nresign\n");
    assert!(text.contains("white> ") && text.contains("black> ") && text.ends_with("over> \n"));
    assert!(!transcript("both", "a1a2\nresign\n").contains("> "));
}

struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_session() {
    let line = Line::start(&Toy::default());
    assert!(play(&line, searcher(), options("both"), &b"board\n"[..], Gone).is_ok());
}
