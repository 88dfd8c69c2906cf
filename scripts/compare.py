#!/usr/bin/env python3
"""menagerie's inference and training against ONNX Runtime and PyTorch, in one run.

The same networks with the same weights: menagerie writes a model of each size together with a
sample of its own answers, the other two are built from these files and must agree with the sample
before anything is timed. Then all take turns, round by round, and medians are compared.

Inference is compared in two ways: with one session of the others on all threads, and with a
session on each thread. menagerie has one way for both, an engine on each thread; it is timed once
for each all the same.

The Python packages go into a virtual environment of their own, in a temporary folder or in the
folder given with --env, which can be used again.
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
TOLERANCE = 1e-4
PACKAGES = ["numpy", "onnx", "onnxruntime", "setuptools"]
MODES = {"one session": "one session on {threads} threads", "sessions": "{threads} one-thread sessions"}


class Failed(Exception):
    """Something that ends the comparison, in words."""


def main():
    options = read_options()
    try:
        report = compare(options)
    except Failed as failure:
        sys.exit(f"compare.py: {failure}")
    print_report(report)
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = parser.add_argument
    add("--menagerie", metavar="PROGRAM", type=Path, help="default: target/release/menagerie")
    add("--env", metavar="DIR", type=Path, help="virtual environment to use, made if missing")
    add(
        "--torch-index",
        metavar="URL",
        help="package index to take PyTorch from: one with builds for CPUs alone saves gigabytes",
    )
    add("--sizes", nargs="+", metavar="BxC", help="blocks x channels (3x32 6x64 10x128)")
    add("--batches", nargs="+", type=int, metavar="N", help="batches of inference (1 8 64 256)")
    add("--training-batch", type=int, default=256, metavar="N", help="batch of training (256)")
    add("--threads", type=int, default=2, metavar="N", help="threads, and sessions (2)")
    add("--rounds", type=int, metavar="N", help="turns of each (5)")
    add("--seconds", type=float, metavar="S", help="length of each turn (1)")
    add("--only", choices=["inference", "training"], help="leave the other out")
    add("--quick", action="store_true", help="3x32, batches 1 and 64, 2 short rounds: does it work?")
    add("--json", metavar="FILE", help="write everything that was measured, too")
    options = parser.parse_args()
    usual = dict(sizes=["3x32", "6x64", "10x128"], batches=[1, 8, 64, 256], rounds=5, seconds=1.0)
    quick = dict(sizes=["3x32"], batches=[1, 64], rounds=2, seconds=0.2)
    for key, value in (quick if options.quick else usual).items():
        if getattr(options, key) is None:
            setattr(options, key, value)
    for size in options.sizes:
        if not re.fullmatch(r"[1-9]\d*x[1-9]\d*", size):
            parser.error(f"argument --sizes: {size!r} is no size; expected BLOCKSxCHANNELS: 3x32")
    for key in ("training_batch", "threads", "rounds", "seconds"):
        if not 0 < getattr(options, key) < 1e6:
            parser.error(f"argument --{key.replace('_', '-')}: must be above 0")
    if min(options.batches) < 1:
        parser.error("argument --batches: each must be at least 1")
    return options


def compare(options):
    """The whole comparison; its report is what --json writes."""
    program = Menagerie(options.menagerie or ROOT / "target/release/menagerie")
    with tempfile.TemporaryDirectory(prefix="menagerie-compare-") as folder:
        folder = Path(folder)
        python = environment(options.env or folder / "env", options.torch_index)
        models = {size: folder / size for size in options.sizes}
        for size, model in models.items():
            program.write_model(size, model)
        with Workers(python, folder, options.threads) as workers:
            report = {
                "machine": machine(),
                "versions": {"menagerie": program.version(), **workers.versions()},
                "threads": options.threads,
                "rounds": options.rounds,
                "seconds": options.seconds,
                "agreement": agreement(workers, models),
                "inference": [],
                "training": [],
            }
            if options.only != "training":
                for size, model in models.items():
                    for batch in options.batches:
                        cell = Cell("inference", size, model, batch)
                        report["inference"] += measure(cell, program, workers, options)
            if options.only != "inference":
                for size, model in models.items():
                    cell = Cell("training", size, model, options.training_batch)
                    report["training"] += measure(cell, program, workers, options)
    return report


# What takes part ---------------------------------------------------------------------------------


class Menagerie:
    """The program under test, asked through its own `bench`."""

    def __init__(self, path):
        if not path.is_file():
            raise Failed(f"{path} is not there: build it with `cargo build --release`")
        self.path = path

    def run(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            command = " ".join(["menagerie", *map(str, words)])
            raise Failed(f"`{command}` ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def version(self):
        return self.run("--version").strip()

    def write_model(self, size, folder):
        words = ["--batch", 1, "--threads", 1, "--rounds", 1, "--seconds", 0.01]
        self.run("bench", "network", "--size", size, "--write", folder, *words)

    def time(self, kind, size, batch, threads, seconds):
        """Positions a second of inference (`kind` network) or training."""
        words = ["--size", size, "--batch", batch, "--threads", threads]
        words += ["--rounds", 1, "--seconds", seconds, "--json", "-"]
        found = json.loads(self.run("bench", kind, *words))[kind][0]
        key = "evaluations_per_second" if kind == "network" else "samples_per_second"
        return found[key]["median"]


class Worker:
    """A process of `comparison.worker`: one runtime with a fixed number of threads."""

    def __init__(self, python, runtime, threads, cache):
        self.runtime = runtime
        settings = {
            "PYTHONPATH": str(SCRIPTS),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": str(threads),
            "MKL_NUM_THREADS": str(threads),
            "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"),
        }
        self.errors = open(cache / f"{runtime}-{id(self)}.log", "w+")
        self.process = subprocess.Popen(
            [python, "-m", "comparison.worker", runtime, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env={**os.environ, **settings},
        )

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # `answer` tells why

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            raise Failed(f"the {self.runtime} process ended:\n{self.errors.read()[-2000:].strip()}")
        found = json.loads(line)
        if "error" in found:
            raise Failed(f"{self.runtime}: {found['error']}")
        return found["ok"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.errors.close()


class Workers:
    """Processes by runtime and mode: one with all threads, and one for each thread."""

    def __init__(self, python, cache, threads):
        make = lambda runtime, threads: Worker(python, runtime, threads, cache)
        self.groups = {}
        for runtime in ("onnxruntime", "torch"):
            self.groups[runtime, "one session"] = [make(runtime, threads)]
            self.groups[runtime, "sessions"] = [make(runtime, 1) for _ in range(threads)]

    def __enter__(self):
        self.about = {
            runtime: self.ask(runtime, "one session", do="about")[0]
            for runtime in ("onnxruntime", "torch")
        }
        if not self.about["torch"]["compiler"]:
            say("no C++ compiler here: torch.compile is left out")
        return self

    def __exit__(self, *_):
        for group in self.groups.values():
            for worker in group:
                worker.end()

    def ask(self, runtime, mode, **request):
        """Asks all processes of a group at once, and waits for all."""
        group = self.groups[runtime, mode]
        for worker in group:
            worker.ask(**request)
        return [worker.answer() for worker in group]

    def versions(self):
        return {runtime: about["version"] for runtime, about in self.about.items()}

    def forms(self, kind):
        """Pairs of runtime and form."""
        return [(runtime, form) for runtime, about in self.about.items() for form in about[kind]]


class Cell:
    """A size and a batch, of inference or training."""

    def __init__(self, kind, size, model, batch):
        self.kind, self.size, self.model, self.batch = kind, size, str(model), batch

    def __str__(self):
        return f"{self.kind} {self.size} batch {self.batch}"


# What is done ------------------------------------------------------------------------------------


def agreement(workers, models):
    """The largest relative difference from menagerie's answers, by size, runtime and form."""
    found = []
    for size, model in models.items():
        for runtime, form in workers.forms("inference"):
            say(f"agreement {size} {runtime} {form}")
            request = {"do": "agree", "model": str(model), "form": form}
            differences = workers.ask(runtime, "one session", **request)[0]
            for output, difference in differences.items():
                if not difference <= TOLERANCE:
                    raise Failed(
                        f"{runtime} ({form}) does not compute the network of {size} that menagerie "
                        f"computes: its {output} differs by {difference:.1e} of the largest value, "
                        f"more than {TOLERANCE:.0e}"
                    )
            found.append({"size": size, "runtime": runtime, "form": form, **differences})
    return found


def measure(cell, program, workers, options):
    """All rounds of a cell: for each mode what each contender reached."""
    modes = list(MODES) if cell.kind == "inference" else ["one session"]
    contenders = [("menagerie", "bench", mode) for mode in modes]
    contenders += [(*form, mode) for form in workers.forms(cell.kind) for mode in modes]
    for runtime, form, mode in contenders[len(modes) :]:
        say(f"{cell}: warming up {runtime} {form}, {mode}")
        request = dict(do="warm", kind=cell.kind, model=cell.model, form=form, batch=cell.batch)
        workers.ask(runtime, mode, **request)
    rates = {contender: [] for contender in contenders}
    for number in range(options.rounds):
        say(f"{cell}: round {number + 1} of {options.rounds}")
        # Each round begins with another one, so that no one always follows the same neighbour.
        shift = number % len(contenders)
        for contender in contenders[shift:] + contenders[:shift]:
            rates[contender].append(turn(cell, contender, program, workers, options))
    return [result(cell, mode, rates) for mode in modes]


def turn(cell, contender, program, workers, options):
    """Positions a second of one contender in one turn; sessions side by side are summed."""
    runtime, form, mode = contender
    if runtime == "menagerie":
        kind = "network" if cell.kind == "inference" else "training"
        return program.time(kind, cell.size, cell.batch, options.threads, options.seconds)
    request = dict(kind=cell.kind, model=cell.model, form=form, batch=cell.batch)
    return sum(workers.ask(runtime, mode, do="time", seconds=options.seconds, **request))


def result(cell, mode, rates):
    """Medians and ratios of a cell in one mode."""
    mine = {key: values for key, values in rates.items() if key[2] == mode}
    median = {key: statistics.median(values) for key, values in mine.items()}
    own = next(value for key, value in median.items() if key[0] == "menagerie")
    row = {"size": cell.size, "batch": cell.batch, "mode": mode, "menagerie": own}
    for runtime in ("onnxruntime", "torch"):
        of = {key: value for key, value in median.items() if key[0] == runtime}
        if of:
            best = max(of, key=of.get)
            row[runtime] = of[best]
            row[f"{runtime}_form"] = best[1]
            row[f"menagerie_to_{runtime}"] = own / of[best]
    row["forms"] = [
        {"runtime": key[0], "form": key[1], "median": median[key], "rounds": values}
        for key, values in mine.items()
    ]
    return row


# Surroundings ------------------------------------------------------------------------------------


def environment(folder, torch_index):
    """The Python of a virtual environment in `folder` that has all packages."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    needed = "import numpy, onnx, onnxruntime, torch"
    if python.exists() and subprocess.run([python, "-c", needed], capture_output=True).returncode == 0:
        return python
    say(f"installing Python packages in {folder}")
    venv.create(folder, with_pip=True)
    of_torch = ["torch"] + (["--index-url", torch_index] if torch_index else [])
    for words in (PACKAGES, of_torch):
        if subprocess.run([python, "-m", "pip", "install", "--quiet", *words]).returncode != 0:
            raise Failed(f"pip could not install {' '.join(words)}")
    done = subprocess.run([python, "-c", needed], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"the packages in {folder} cannot be used:\n{done.stderr.strip()}")
    return python


def machine():
    """What the figures were measured on."""
    found = {"processor": platform.processor() or platform.machine(), "cpus": os.cpu_count()}
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return found
    name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found | ({"processor": name[1]} if name else {})


def say(text):
    """What is going on, for the one who waits."""
    width = shutil.get_terminal_size().columns - 1
    end = "\r" if sys.stderr.isatty() else "\n"
    print(text[:width].ljust(width) if end == "\r" else text, end=end, file=sys.stderr, flush=True)


# Tables ------------------------------------------------------------------------------------------


def print_report(report):
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    about = report["machine"]
    print(f"{about['processor']}, {about['cpus']} CPUs; {versions}")
    largest = max(
        value
        for row in report["agreement"]
        for value in row.values()
        if isinstance(value, float)
    )
    print(f"the outputs agree with menagerie's: largest relative difference {largest:.1e}")
    count, seconds = report["rounds"], report["seconds"]
    print(f"medians of {count} rounds of {seconds:g} s each, taking turns\n")
    for mode, words in MODES.items():
        rows = [row for row in report["inference"] if row["mode"] == mode]
        if rows:
            words = words.format(threads=report["threads"])
            print(f"Inference, {words}: evaluations a second")
            print_rows(rows)
    if report["training"]:
        print(f"Training, {report['threads']} threads: samples a second")
        print_rows(report["training"])


def print_rows(rows):
    lines = [["size", "batch", "menagerie", "ONNX Runtime", "ratio", "PyTorch", "ratio", "best form"]]
    for row in rows:
        line = [row["size"], str(row["batch"]), f"{row['menagerie']:.0f}"]
        for runtime in ("onnxruntime", "torch"):
            if runtime in row:
                line += [f"{row[runtime]:.0f}", f"{row[f'menagerie_to_{runtime}']:.2f}"]
            else:
                line += ["-", "-"]
        lines.append(line + [row.get("torch_form", "-")])
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line[:-1], widths)]
        print("  " + "  ".join(cells + line[-1:]))
    print()


if __name__ == "__main__":
    main()
