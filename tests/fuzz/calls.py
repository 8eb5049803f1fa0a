"""The command: calls of the verbs that tell where time goes, and how each of them ends.

An input is a document: a program by its name, a file of timing figures, and the words of a call, in
which ``PROGRAM``, ``TIMING`` and ``FOLDER`` stand for files that are made for it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from nasm.apps.cli import main
from nasm.show.trace import DETAILS
from nasm.targets.neuron import TARGET
from tests.fuzz import corpus, promises
from tests.fuzz.finding import Found
from tests.fuzz.mutations import CHARACTERS, NUMBERS

VERBS = ("profile", "profile", "profile", "diff", "run", "isa")
DOCUMENTED = {*VERBS, "nki", "check"}
BOUNDS = ("", "0us", "1us", "0.5us", "10ns", "1s", "1", "5", "12", "again", "2.5 us", "-1us", "µs")
ENDS = (0, 1, 2, 124)
"""Exit codes: all of 'neuron-nasm', but for signals and defects."""


class _Stream(io.TextIOWrapper):
    """What a standard stream gets, in memory."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        """All of it."""
        inner = self.buffer
        assert isinstance(inner, io.BytesIO)
        return inner.getvalue().decode("utf-8")


class Calls:
    """Calls of the command."""

    name, suffix, each = "calls", ".call", 1
    memory, seconds = 1 << 30, 10.0

    def __init__(self) -> None:
        self.programs = {
            name: text
            for name, text in corpus.programs().items()
            if "smaller" in name or "deadlock" in name or "fault" in name or " on v" in name
        }
        shm = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(dir=shm if shm.is_dir() else None))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)

    def make(self, rng: Random) -> bytes:
        """A call with one of the programs."""
        verb = rng.choice(VERBS)
        words = [verb, *_what(rng, verb)]
        while rng.random() < 0.7:
            words += _option(rng, verb)
        if rng.random() < 0.05:
            words.insert(rng.randrange(len(words) + 1), rng.choice([*CHARACTERS, *NUMBERS]))
        if rng.random() < 0.05:
            del words[rng.randrange(len(words))]
        call = {"program": rng.choice(list(self.programs)), "timing": timing(rng), "words": words}
        return json.dumps(call).encode()

    def check(self, data: bytes) -> None:
        """Make the call, and look at its end and at all that it says."""
        call = json.loads(data)
        files = self._files(call["program"], call["timing"])
        given = [functools.reduce(lambda w, f: w.replace(*f), files.items(), word)
                 for word in call["words"]]  # fmt: skip
        self.ended(*self.called(given))
        self._written()

    def called(self, given: list[str]) -> tuple[int, list[str], str, str]:
        """Make a call in the folder: its exit code, its words, and what it printed."""
        out, err = _Stream(), _Stream()
        with _place(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(given)
            except SystemExit as leaving:  # argparse, of a word that it does not know
                code = leaving.code if isinstance(leaving.code, int) else 1
        return code, given, out.text(), err.text()

    def empty(self) -> None:
        """Have an empty folder."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()

    def _files(self, program: str, figures: str) -> dict[str, str]:
        """The files of a call, made anew; words for them."""
        self.empty()
        places = {"PROGRAM": self.folder / "p.nasm", "TIMING": self.folder / "t.toml"}
        places["PROGRAM"].write_text(self.programs[program], encoding="utf-8")
        places["TIMING"].write_bytes(figures.encode("utf-8", "surrogatepass"))
        return {name: str(place) for name, place in (*places.items(), ("FOLDER", self.folder))}

    def ended(self, code: int, given: list[str], out: str, err: str) -> None:
        promises.shown(out + err, "what a call prints")
        if code not in ENDS:
            raise Found("exception", f"exit code {code}", f"{given}\n{out}\n{err}")
        if "--json" in given and given[0] in DOCUMENTED:  # what is no verb has no document
            try:
                promises.document(json.loads(out))
            except ValueError as problem:
                raise Found("json", f"{problem}", f"{given}\n{out}\n{err}") from None

    def _written(self) -> None:
        trace = self.folder / "t.json"
        if trace.exists():
            promises.viewable(trace.read_bytes())

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """A call is short."""
        return iter(())


@contextlib.contextmanager
def _place(folder: Path) -> Iterator[None]:
    """Be where nothing is but what a call makes."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _what(rng: Random, verb: str) -> list[str]:
    if verb == "isa":
        return ["--timing"]
    if verb == "diff":
        return ["PROGRAM", "--vs", *_option(rng, verb)]
    return ["PROGRAM"]


def _option(rng: Random, verb: str) -> list[str]:
    """An option of a verb, with something behind it."""
    target = rng.choice(["trn1", "trn2", "trn3", "gen2", "inf2", "trn9"])
    if verb == "isa":
        return rng.choice([["--json"], ["--target", target]])
    option = rng.choice(TARGET.options)
    values = [*option.choices] if option.choices else [str(option.low), str(option.high)]
    some = [
        ["--json"],
        ["--target", target],
        ["--timing", rng.choice(["TIMING"] * 8 + ["FOLDER", "PROGRAM", "-", "nothing"])],
        ["--option", f"{option.name}={rng.choice([*values, 'x'])}"],
        ["--max-cycles", rng.choice(["1", "100", "3000", "0", *NUMBERS])],
        ["--max-instructions", rng.choice(["1", "3", "none", "0", *NUMBERS])],
        ["-D", f"{rng.choice(['N', 'M', 'K', 'ROWS', 'P'])}={rng.choice(NUMBERS)}"],
        ["--no-values"],
    ]
    if verb == "profile":
        bounds = f"{rng.choice(BOUNDS)}..{rng.choice([*BOUNDS, f'{rng.choice(NUMBERS)}us'])}"
        some += [["--path"], ["--no-what-if"], [f"--timeline={bounds}"], ["--tables", "FOLDER/t"]]
    if verb == "run":
        some += [["--trace", "FOLDER/t.json", "--trace-detail", rng.choice([*DETAILS])]]
    return rng.choice(some)


def timing(rng: Random) -> str:
    """A file of timing figures, more or less."""
    names = [figure.name for figure in TARGET.figures]
    lines = []
    while rng.random() < 0.8:
        match rng.randrange(8):
            case 0:
                lines.append(f"[{rng.choice(['v2', 'v3', 'v4', 'trn1', 'v9', '[v3]', 'v3.x'])}]")
            case 1:
                lines.append(rng.choice([*CHARACTERS, "= 1", "x =", "# a remark", '"a b" = 1']))
            case 2:
                lines.append(f"{rng.choice(names)} = {rng.choice(NUMBERS)}")
            case _:
                value = rng.choice(["0", "1", "0.5", "7", "1000", "0.001", "1_000_000"])
                lines.append(f"{rng.choice(names)} = {value}")
    return "\n".join(lines) + rng.choice(["\n", ""])
