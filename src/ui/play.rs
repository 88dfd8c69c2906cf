//! The game at the terminal: reads lines, plays actions, answers questions about the position.
//!
//! Works the same from a keyboard, a pipe or a file: without a prompt nothing is written that a
//! program would stumble over, and the end of the input ends the session.

use super::board::{BoardStyle, draw_board};
use super::legend::{legend, seat_text};
use super::report::{report_text, signed};
use super::typed;
use crate::arena::player::{Choice, Player, PlayerError};
use crate::game::{Line, Notation, Outcome, Side};
use crate::rng;
use rand::Rng;
use std::io::{self, BufRead, Write};
use std::str::FromStr;

/// Actions that the player makes without being asked again, when it plays both sides.
const WATCHED_PLIES: u32 = 1000;

const HELP: &str = "\x20 an action    plays it (`moves` shows how they are written)
  moves [a1]   the legal actions, or those that begin like that, in words
  board        the board again
  eval         what the player thinks of every action
  hint         what the player would do
  undo         takes your last action back
  new          a new game
  resign       gives the game up
  side S       who you are: first, second, both or none
  level N      visits that the player spends on an action
  position     the position as text
  help         this
  quit         ends the session
";

/// The sides that a person plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    One(Side),
    Both,
    Nobody,
}

impl Seat {
    fn holds(self, side: Side) -> bool {
        match self {
            Seat::One(own) => own == side,
            Seat::Both => true,
            Seat::Nobody => false,
        }
    }
}

impl FromStr for Seat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "first" => Ok(Seat::One(Side::First)),
            "second" => Ok(Seat::One(Side::Second)),
            "both" => Ok(Seat::Both),
            "none" => Ok(Seat::Nobody),
            _ => Err(format!("no side `{text}`; there are first, second, both and none")),
        }
    }
}

/// How a session begins and looks.
#[derive(Clone, Copy, Debug)]
pub struct PlayOptions {
    pub seat: Seat,
    pub style: BoardStyle,
    /// Write `white> ` before every line is read: for a keyboard only.
    pub prompt: bool,
    pub seed: u64,
}

/// Why a session ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error(transparent)]
    Player(#[from] PlayerError),
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
}

/// Plays from `line` until the input ends or says `quit`. A reader of `output` that goes away
/// ends the session without an error, too.
pub fn play<G: Notation>(
    line: &Line<G>,
    player: Box<dyn Player<G>>,
    options: PlayOptions,
    mut input: impl BufRead,
    output: impl Write,
) -> Result<(), PlayError> {
    let start = line.clone();
    let mut session = Session {
        lines: vec![start],
        player,
        options,
        last: Vec::new(),
        resigned: None,
        game: 0,
        output,
    };
    match session.run(&mut input) {
        Err(PlayError::Terminal(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

struct Session<G: Notation, W> {
    /// The game after each of its actions; never empty.
    lines: Vec<Line<G>>,
    /// The actions as text.
    last: Vec<String>,
    player: Box<dyn Player<G>>,
    options: PlayOptions,
    resigned: Option<Side>,
    /// Number of the game in this session.
    game: u64,
    output: W,
}

enum Next {
    /// The position may have changed: let the player act, then show the board.
    Act,
    /// Only an answer was given.
    Stay,
    Quit,
}

impl<G: Notation, W: Write> Session<G, W> {
    fn line(&self) -> &Line<G> {
        &self.lines[self.lines.len() - 1]
    }

    fn name(&self, side: Side) -> &'static str {
        self.line().game().side_name(side)
    }

    fn over(&self) -> bool {
        self.resigned.is_some() || self.line().outcome().is_some()
    }

    fn run(&mut self, input: &mut impl BufRead) -> Result<(), PlayError> {
        self.begin()?;
        let mut next = Next::Act;
        loop {
            match next {
                Next::Act => {
                    self.let_player_act()?;
                    self.show_board()?;
                }
                Next::Stay => {}
                Next::Quit => return Ok(()),
            }
            if self.options.prompt {
                let who = if self.over() { "over" } else { self.name(self.line().turn()) };
                write!(self.output, "{who}> ")?;
            }
            self.output.flush()?;
            let mut bytes = Vec::new();
            if input.read_until(b'\n', &mut bytes)? == 0 {
                if self.options.prompt {
                    writeln!(self.output)?;
                }
                return Ok(self.output.flush()?);
            }
            next = self.obey(String::from_utf8_lossy(&bytes).trim())?;
        }
    }

    fn begin(&mut self) -> Result<(), PlayError> {
        self.lines.truncate(1);
        self.last.clear();
        self.resigned = None;
        self.player.begin(rng::stream(self.options.seed, "play", self.game).next_u64());
        self.game += 1;
        let level = self.player.visits().map_or(String::new(), |n| format!(", {n} visits"));
        let who = seat_text(self.line().game(), self.options.seat, self.options.style);
        writeln!(
            self.output,
            "The player is {}{level}. {who}; `help` explains the board and the commands.",
            self.player.name()
        )?;
        Ok(())
    }

    fn obey(&mut self, text: &str) -> Result<Next, PlayError> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match word.to_lowercase().as_str() {
            "" => Ok(Next::Stay),
            "quit" | "exit" => Ok(Next::Quit),
            "help" | "?" => {
                let PlayOptions { seat, style, .. } = self.options;
                let text = format!("{HELP}\n{}", legend(self.line().game(), seat, style));
                self.answer(&text)
            }
            "board" => self.show_board().map(|()| Next::Stay),
            "position" => {
                let text = self.line().game().position_text(self.line().position());
                self.answer(&format!("{text}\n"))
            }
            "new" => self.begin().map(|()| Next::Act),
            "side" => match rest.parse() {
                Ok(seat) => {
                    self.options.seat = seat;
                    Ok(Next::Act)
                }
                Err(reason) => self.answer(&format!("{reason}\n")),
            },
            "level" => self.set_level(rest),
            "undo" => self.undo(),
            _ if self.over() => {
                self.answer("The game is over; `new` begins another, `undo` goes back.\n")
            }
            "moves" => self.show_actions(rest),
            "hint" => self.hint(),
            "eval" => self.evaluate(),
            "resign" => {
                let side = match self.options.seat {
                    Seat::One(side) => side,
                    _ => self.line().turn(),
                };
                self.resigned = Some(side);
                Ok(Next::Act)
            }
            _ => self.play_text(text),
        }
    }

    fn answer(&mut self, text: &str) -> Result<Next, PlayError> {
        self.output.write_all(text.as_bytes())?;
        Ok(Next::Stay)
    }

    fn play_text(&mut self, text: &str) -> Result<Next, PlayError> {
        let line = self.line();
        match typed::read(line.game(), line.position(), text) {
            Err(error) => self.answer(&format!(
                "{error}\n(`moves` lists the legal actions, `help` the commands)\n"
            )),
            Ok(action) if !line.legal().contains(&action) => self.answer(&format!(
                "`{text}` would repeat a position once more than the rules allow\n"
            )),
            Ok(action) => {
                self.make(action);
                Ok(Next::Act)
            }
        }
    }

    fn make(&mut self, action: G::Action) {
        let mut line = self.line().clone();
        self.last.push(line.game().action_text(line.position(), action));
        line.play(action);
        self.lines.push(line);
    }

    /// The player acts until a person must, or the game ends.
    fn let_player_act(&mut self) -> Result<(), PlayError> {
        for _ in 0..WATCHED_PLIES {
            let side = self.line().turn();
            if self.over() || self.options.seat.holds(side) {
                return Ok(());
            }
            let choice = self.player.choose(&self.lines[self.lines.len() - 1])?;
            let line = self.line();
            if !line.legal().contains(&choice.action) {
                return Err(PlayError::Player(PlayerError::Illegal {
                    name: self.player.name(),
                    ply: line.ply(),
                    action: format!("{:?}", choice.action),
                }));
            }
            let text = self.choice_text(&choice);
            writeln!(self.output, "{} plays {text}", self.name(side))?;
            self.make(choice.action);
        }
        writeln!(self.output, "({WATCHED_PLIES} actions played; `side none` goes on)")?;
        Ok(())
    }

    /// An action, in words, and the reasons for it.
    fn choice_text(&self, choice: &Choice<G::Action>) -> String {
        let (game, position) = (self.line().game(), self.line().position());
        let mut text = format!(
            "{}: {}",
            game.action_text(position, choice.action),
            game.describe(position, choice.action)
        );
        let side = self.name(self.line().turn());
        if let Some(value) = choice.value {
            text.push_str(&format!(" (value {} for {side})", signed(value, 2)));
        } else if let Some(score) = choice.score {
            text.push_str(&format!(" (score {score:+} for {side})"));
        }
        text
    }

    fn show_board(&mut self) -> Result<(), PlayError> {
        let sketch = self.line().game().sketch(self.line().position());
        let last = self.last.last().map(String::as_str);
        let board = draw_board(&sketch, self.options.style, last);
        let status = self.status();
        write!(self.output, "\n{board}{status}\n")?;
        Ok(())
    }

    fn status(&self) -> String {
        if let Some(side) = self.resigned {
            return format!(
                "{} wins because {} resigned",
                self.name(side.other()),
                self.name(side)
            );
        }
        match self.line().outcome() {
            None => format!("{} to act, ply {}", self.name(self.line().turn()), self.line().ply()),
            Some(Outcome { winner, margin, reason }) => {
                let points = match margin {
                    0 => String::new(),
                    margin => format!(" by {} points", margin.unsigned_abs()),
                };
                match winner {
                    Some(side) => format!("{} wins{points} because {reason}", self.name(side)),
                    None => format!("a draw because {reason}"),
                }
            }
        }
    }

    fn show_actions(&mut self, begin: &str) -> Result<Next, PlayError> {
        let (game, position) = (self.line().game(), self.line().position());
        let texts: Vec<(String, G::Action)> = self
            .line()
            .legal()
            .into_iter()
            .map(|action| (game.action_text(position, action), action))
            .filter(|(text, _)| typed::plain(text).starts_with(&typed::plain(begin)))
            .collect();
        let out = if texts.is_empty() {
            format!("no legal action begins with `{begin}`\n")
        } else if begin.is_empty() {
            let words: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
            words.chunks(10).map(|row| row.join(" ") + "\n").collect()
        } else {
            texts
                .into_iter()
                .map(|(text, action)| format!("{text}  {}\n", game.describe(position, action)))
                .collect()
        };
        self.answer(&out)
    }

    fn hint(&mut self) -> Result<Next, PlayError> {
        let line = &self.lines[self.lines.len() - 1];
        let choice = self.player.choose(line)?;
        let text = format!("{}\n", self.choice_text(&choice));
        self.answer(&text)
    }

    fn evaluate(&mut self) -> Result<Next, PlayError> {
        let line = &self.lines[self.lines.len() - 1];
        let Some(report) = self.player.analyze(line)? else {
            let text = format!(
                "{} weighs no action but its own choice, which `hint` shows; a table of all actions \
                 comes from models, `uniform:N` and `rollout:N`\n",
                self.player.name()
            );
            return self.answer(&text);
        };
        let text = report_text(line, &report);
        self.answer(&text)
    }

    fn set_level(&mut self, text: &str) -> Result<Next, PlayError> {
        let answer = match text.parse::<u32>() {
            Ok(visits) if (1..=10_000_000).contains(&visits) => {
                if self.player.set_visits(visits) {
                    format!("{visits} visits an action\n")
                } else {
                    format!("{} has no level to set\n", self.player.name())
                }
            }
            _ => format!("level `{text}` is not a number of visits from 1 to 10000000\n"),
        };
        self.answer(&answer)
    }

    /// Goes back to before the latest action of a person (and takes a resignation back first).
    fn undo(&mut self) -> Result<Next, PlayError> {
        if self.resigned.take().is_some() {
            return Ok(Next::Act);
        }
        let seat = self.options.seat;
        let before = &self.lines[..self.lines.len() - 1];
        match before.iter().rposition(|line| seat.holds(line.turn())) {
            Some(index) => {
                self.lines.truncate(index + 1);
                self.last.truncate(index);
                Ok(Next::Act)
            }
            None if seat == Seat::Nobody => {
                self.answer("nobody has acted but the player; `side both` lets you go back\n")
            }
            None => self.answer("there is no action of yours to take back\n"),
        }
    }
}

#[cfg(test)]
#[path = "play_tests.rs"]
mod tests;
