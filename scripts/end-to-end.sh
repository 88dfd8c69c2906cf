#!/usr/bin/env bash
# Trains a little, exports, matches and plays with the real binary, in a throw-away folder.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
menagerie=$PWD/target/release/menagerie
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for game in jungle celestial shengxiao; do
    echo "-- $game"
    "$menagerie" train configs/smoke.toml --data "$work/data" --run "$game" \
        --set "game.name=$game" --set train.final_games=2
    echo "the loss of the value must fall:"
    "$menagerie" show "$game" --data "$work/data" >"$work/curves"
    awk '$1 == "learn" && $2 == "value" { print; fell = $(NF - 2) - $NF } END { exit !(fell > 0.01) }' \
        "$work/curves"
    "$menagerie" export "$game" --data "$work/data" --to "$work/models/$game"
    "$menagerie" show "$work/models/$game" >"$work/card"
    "$menagerie" match "$work/models/$game:visits=8" random --games 4 --json >"$work/match.json"
    for key in wins draws losses score elo elo_low elo_high; do
        grep -q "\"$key\"" "$work/match.json"
    done
    printf 'moves\nhint\nquit\n' | "$menagerie" play "$work/models/$game:visits=8" >"$work/game"
    test -s "$work/game"
done

echo "-- case files"
"$menagerie" check tests/cases

echo "-- the rules of every game"
for game in jungle celestial shengxiao; do
    "$menagerie" rules --game "$game" | grep -q "The rules of $game: the preset standard"
done

echo "-- a scripted game of Jungle against the shipped model"
printf 'a3a4\nmoves\nundo\na3a4\neval\nquit\n' |
    "$menagerie" play models/jungle-quick --visits 32 >"$work/game"
grep -q 'black plays' "$work/game"
grep -q 'prior' "$work/game"
echo "end to end: all well"
