"""Calls of the command that read and write files: every verb, with the options that add a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nasm.apps.cli import main
from tests.cli.programs import HALVES
from tests.tensix.riscv import elves

INCLUDED = ".const N = 4\n"
PROGRAM = HALVES.replace(".const N = 4", '.include "sizes.nasm"').replace("= iota", '= "x.npz:a"')
SEQUENTIAL = """\
.target trn1
.hbm X f32[128, 4] input = iota
.hbm Y f32[128, 4] output
.sbuf x f32[128, 4]
@sync DmaCopy x, X
@vector TensorScalar x, x, op0=multiply, operand0=0.5
@sync DmaCopy Y, x
"""
KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def halved(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=0.5)
    nisa.dma_copy(dst=y, src=tile)
    return y
"""
RANKS = """\
.target trn2
.ranks 2
.hbm X f32[128, 4] input
.hbm Y f32[128, 4] output
@cc Collective Y, X, all_reduce, op=add
"""
WORMHOLE = """\
.target wormhole
@t0  NOP
@t0  NOP
"""
GOLDEN = """\
def inputs(rng):
    return {"X": rng.random(4)}


def golden(X):
    return {"Y": X / 2}
"""
SESSION = """\
record session.txt
break vector
continue
write x "y.npy" replace
write x "z.npz:x"
execute @sync Nop
save tried.nasm
save p.nasm replace
save run.nrec
source commands
record off
record >> more.txt
info time
record off
run
"""


@dataclass(frozen=True)
class Call:
    """Words of the command. ``made`` are files that it finds, made by another call first.

    ``growing`` are files that it adds to, line by line.
    """

    name: str
    words: list[str]
    old: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    growing: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """How it ends where nothing fails: 1 for a difference, or a submission that fails."""
        return int(self.name in ("equal", "fmt-diff", "grade", "judge", "learn"))

    def lay_out(self, place: Path) -> None:
        """Lay out what it begins with."""
        texts = {
            "p.nasm": PROGRAM,
            "q.nasm": PROGRAM.replace("0.5", "0.25"),
            "s.nasm": SEQUENTIAL,
            "w.nasm": WORMHOLE,
            "r.nasm": RANKS,
            "where.toml": 'base = "trn2.48xlarge"\n',
            "sizes.nasm": INCLUDED,
            "k.py": KERNEL,
            "t.toml": "semaphore_ns = 25\n",
            "script": SESSION,
            "commands": "step\n",
            "once.h": "inline void once(const int N) { TTI_SFPLOADI(0, 0, N); }\n",
            "ex/exercise.toml": 'title = "Halves"\nseeds = [1]\n',
            "ex/golden.py": GOLDEN,
        }
        (place / "ex").mkdir(exist_ok=True)
        for name, text in texts.items():
            (place / name).write_text(text, encoding="utf-8")
        (place / "c.elf").write_bytes(elves.elf([(0, elves.words(0x00500513, 0x00100073), 0)]))
        np.savez(place / "x.npz", a=np.ones((128, 4), np.uint16))
        np.save(place / "f.npy", np.ones((128, 4), np.float32))
        for name in self.old:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text("old", encoding="utf-8")
        if self.made:
            words = [str(place / w) if "." in w else w for w in self.made]
            assert main(words) == 0


def _call(name: str, words: str, old: str = "", made: str = "", growing: str = "") -> Call:
    return Call(name, words.split(), *(tuple(part.split()) for part in (old, made, growing)))


CALLS = (
    _call(
        "run",
        "run p.nasm --out Y=y.npy --trace t.json --sarif s.sarif --json --timing t.toml",
        "y.npy t.json s.sarif",
    ),
    _call("run-inputs", "run p.nasm --in X=x.npz:a --out-dir made --trace t.json.gz --files ."),
    _call("run-stdout", "run p.nasm --out Y=- --quiet"),
    _call("run-object", "run p.nobj --out Y=y.npy --json", "y.npy", "asm p.nasm -q"),
    _call("run-schedules", "run p.nasm --schedules 2 --witness --json --sarif s.sarif", "s.sarif"),
    _call(
        "run-ranks",
        "run r.nasm --in X=f.npy --out Y=y{rank}.npy --json --sarif s.sarif --topology where.toml",
        "y0.npy y1.npy s.sarif",
    ),
    _call("run-elf", "run --elf brisc=c.elf --json"),
    _call("run-autosync", "run s.nasm --autosync --out Y=y.npy"),
    _call("run-kernel", "run k.py:halved --in x=f.npy --out y=y.npy --json", "y.npy"),
    _call("nki-emit", "nki k.py:halved --in x=f.npy --emit e.nasm --json", "e.nasm"),
    _call("profile", "profile p.nasm --tables tables --json", "tables/Summary.jsonl"),
    _call("profile-rank", "profile p.nasm --ranks 2 --rank 1 --json --html r.html", "r.html"),
    _call("profile-page", "profile p.nasm --html r.html --svg r.svg", "r.html r.svg"),
    _call("profile-shown", "profile p.nasm --no-what-if --path"),
    _call(
        "sweep",
        "sweep p.nasm --target trn1,trn2 -j 1 --keep r.jsonl --csv a.csv --svg a.svg --json",
        growing="r.jsonl a.csv a.svg",
    ),
    _call("tune", "tune p.nasm --target trn1,trn2 -j 1 --no-keep --runs 5"),
    # what is there would be run in processes of its own, which have faults of their own
    _call("grade", "grade ex none.nasm -j 1 --csv a.csv --json", "a.csv"),
    _call("judge", "judge ex none.nasm -j 1 --json"),
    _call("learn", "learn add --dir mine --once"),
    _call("diff", "diff p.nasm q.nasm --json"),
    _call("equal", "equal p.nasm q.nasm --json"),
    _call("check", "check p.nasm q.nasm --sarif s.sarif --json", "s.sarif"),
    _call("check-map", "check p.nasm --map"),
    _call("check-autosync", "check s.nasm --autosync --json"),
    _call("check-waits", "check p.nasm --waits --json"),
    _call("print", "print p.nasm -o made.nasm", "made.nasm"),
    _call("print-kernel", "print k.py:halved --in x=f.npy -o made.nasm"),
    _call("sync-write", "sync s.nasm --write"),
    _call("sync-output", "sync s.nasm -o made.nasm --json", "made.nasm"),
    _call("fmt", "fmt p.nasm q.nasm"),
    _call("fmt-diff", "fmt --diff p.nasm q.nasm"),
    _call("asm", "asm p.nasm -o p.nobj --json", "p.nobj"),
    _call("asm-link", "asm p.nasm --link -q"),
    _call("dis", "dis p.nobj -o made/p.nasm --extract", "made/other", "asm p.nasm -q"),
    _call("asm-words", "asm w.nasm --words --queue t0 -o w.bin", "w.bin"),
    _call(
        "dis-words",
        "dis w.bin --words --queue t0 --target wormhole -o v.nasm",
        "v.nasm",
        "asm w.nasm --words --queue t0 -o w.bin",
    ),
    _call("list", "list p.nasm"),
    _call("record", "record p.nasm -o r.nrec --at 1us", "r.nrec"),
    _call("replay", "repl --replay p.nrec --no-init -ex run", "", "record p.nasm -q"),
    _call("llk", "llk once.h:once -D N=2 -o made.nasm", "made.nasm"),
    _call("completion", "completion bash"),
    _call("isa", "isa TensorTensor --example"),
    _call("explain", "explain E0501"),
    _call("help", "help run"),
    _call(
        "repl", "repl p.nasm --no-init -x script", "y.npy more.txt", growing="session.txt more.txt"
    ),
)
