"""The verb ``sync`` and ``run --autosync``: what they print and write, and how they exit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import nasm
from nasm.base.source import Source
from tests.cli.programs import written

PLAIN = """\
.target trn2
.hbm A f32[128, 64] input = iota
.hbm O f32[128, 64] output
.sbuf a f32[128, 64]
@sync   DmaCopy a, A
@vector TensorScalar a, a, op0=multiply, operand0=2   ; twice
@sync   DmaCopy O, a
.expect O ~ 2 * A
"""

READY = """\
.target trn2
.hbm A f32[128, 64] input = iota
.hbm O f32[128, 64] output
.sbuf a f32[128, 64]
@sync   DmaCopy a, A  post a_loaded
@vector TensorScalar a, a, op0=multiply, operand0=2  after a_loaded  post a_ready   ; twice
@sync   DmaCopy O, a  after a_ready
@sync  .drain
.expect O ~ 2 * A
"""

COUNTED = """\
.target trn2
.hbm A f32[128, 64] input = iota
.hbm O f32[128, 64] output
.sbuf a f32[128, 64]
.sem   vector, dma0
@sync   DmaCopy a, A  $dma0 += 16
@vector TensorScalar a, a, op0=multiply, operand0=2  $dma0 >= 16  $vector++   ; twice
@sync   DmaCopy O, a  $vector >= 1  $dma0 += 16
@sync  EventSemaphore  $dma0 >= 32
.expect O ~ 2 * A
"""

BACKWARD = """\
.target trn2
.hbm O f32[128, 64] output
.sbuf a f32[128, 64]
@sync   DmaCopy O, a
@vector Memset a, 1
"""


def test_it_shows_a_diff(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN)
    done = ran("sync", path)
    assert done.code == 0
    added = [line[1:] for line in done.out.splitlines() if line.startswith("+") and line[1] != "+"]
    assert [line.strip() for line in added] == [
        line.strip() for line in READY.splitlines() if " a_" in line or ".drain" in line
    ]
    assert done.err == ("4 instructions: 3 waits, 3 updates of 3 semaphores; 1 of them only wait\n")
    assert Path(path).read_text() == PLAIN


def test_what_it_writes_runs(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN)
    assert ran("sync", path, "-q", "--write").out == ""
    assert Path(path).read_text() == READY
    assert ran("run", path).code == 0


def test_it_writes_to_another_file_and_to_standard_output(ran: Any, tmp_path: Path) -> None:
    path, other = written(tmp_path, PLAIN), tmp_path / "ready.nasm"
    assert ran("sync", path, "-o", str(other)).code == 0
    assert other.read_text() == READY
    assert ran("sync", path, "-q", "-o", "-").out == READY


def test_with_waits_it_writes_semaphores(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN)
    assert ran("sync", path, "--waits", "-q", "-o", "-").out == COUNTED


def test_what_is_in_columns_is_written_in_columns(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN)
    assert ran("fmt", path).code == 0
    assert ran("sync", path, "-q", "--write").code == 0
    assert "; twice" in Path(path).read_text()
    assert ran("fmt", path, "--check").code == 0


def test_waits_are_found_anew_where_they_are_left_out(ran: Any, tmp_path: Path) -> None:
    for text in (READY, COUNTED):
        path = written(tmp_path, text)
        done = ran("sync", path)
        assert done.code == 2
        assert "E0841" in done.err
        done = ran("sync", path, "--strip", "-q", "-o", "-")
        assert done.code == 0
        assert done.out == READY
        assert ran("sync", path, "--strip", "--waits", "-q", "-o", "-").out == COUNTED


def test_a_text_with_a_loop_keeps_it_with_moments(ran: Any, tmp_path: Path) -> None:
    text = PLAIN.replace("@vector", ".for n in 0..2\n@vector").replace("; twice", "\n.end")
    path, other = written(tmp_path, text.replace("2 * A", "4 * A")), tmp_path / "ready.nasm"
    for more, lines in (((), 1), (("--waits",), 2)):
        assert ran("sync", path, "-o", str(other), *more).code == 0
        assert other.read_text().count("TensorScalar") == lines
        assert ran("run", str(other)).code == 0


def test_a_text_that_calls_macros_is_written_line_by_line(ran: Any, tmp_path: Path) -> None:
    golden = np.arange(128 * 64, dtype=np.float32).reshape(128, 64) * 4
    np.save(tmp_path / "golden.npy", golden)
    head, line, rest = PLAIN.partition("@vector TensorScalar a, a, op0=multiply, operand0=2")
    macro = f".macro twice(x)\n{line.replace('a, a', 'x, x')}\n.end\n"
    text = f"{head}{macro}twice(a)\ntwice(a) {rest}".replace("2 * A", '"golden.npy"')
    path, other = written(tmp_path, text), tmp_path / "made" / "ready.nasm"
    other.parent.mkdir()
    assert ran("sync", path, "-o", str(other)).code == 0
    made = [line for line in other.read_text().splitlines() if "TensorScalar" in line]
    assert [("after a_loaded" in line, "post a_ready" in line) for line in made] == [
        (True, False),
        (False, True),
    ]
    assert ran("run", str(other)).code == 0


def test_a_text_in_no_sequential_order_is_refused(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, BACKWARD)
    for words in (("sync",), ("run", "--autosync")):
        done = ran(*words, path)
        assert done.code == 2
        assert "DmaCopy on sync reads a, which only lines below it write" in done.err


def test_run_autosync_runs_it_with_waits(ran: Any, tmp_path: Path) -> None:
    done = ran("run", "--autosync", written(tmp_path, PLAIN))
    assert done.code == 0
    assert "PASS: 1 expectation met" in done.out


def test_a_document_has_the_text(ran: Any, tmp_path: Path) -> None:
    document = json.loads(ran("sync", written(tmp_path, PLAIN), "--json").out)
    assert document["ok"]
    counts = {name: document[name] for name in ("waits", "updates", "only_wait", "semaphores")}
    assert counts == {"waits": 3, "updates": 3, "only_wait": 1, "semaphores": 3}
    assert document["text"] == READY
    document = json.loads(ran("sync", written(tmp_path, BACKWARD), "--json").out)
    assert [problem["code"] for problem in document["problems"]] == ["E0841"]


def test_a_kernel_needs_no_autosync(ran: Any) -> None:
    done = ran("run", "--autosync", "kernel.py:name")
    assert done.code == 2
    assert "a kernel has no waits of its own" in done.err


LOOP = """.target trn2
.hbm   X  f32[1024, 64]  input = iota
.hbm   Y  f32[1024, 64]  output
.sbuf  x[2]  f32[128, 64]

.loop r in 0..8 buffers=2
@sync    DmaCopy       x[r % 2], X[r*128 : +128]
@vector  TensorScalar  x[r % 2], x[r % 2], op0=add, operand0=1
@scalar  DmaCopy       Y[r*128 : +128], x[r % 2]
.end

.expect  Y == X + 1
"""


def test_a_loop_at_run_time_with_waits_is_what_its_moments_become(ran: Any, tmp_path: Path) -> None:
    path, moments, waits = (str(tmp_path / name) for name in ("l.nasm", "m.nasm", "w.nasm"))
    Path(path).write_text(LOOP)
    assert ran("sync", path, "-o", moments).code == 0
    assert ran("sync", path, "--waits", "-o", waits).code == 0
    made = Path(waits).read_text()
    assert " post " not in made
    assert " after " not in made
    assert made.count("CompareBranch") == 3
    assert made.count("TensorScalar") == 2
    times = set()
    for given in ((moments,), (waits,), ("--autosync", path)):
        done = ran("run", *given, "--strict", "--json")
        assert done.code == 0
        times.add(json.loads(done.out)["time"]["microseconds"])
    assert len(times) == 1
    assert ran("run", path, "--json").code != 0


def test_a_loop_with_the_waits_that_were_found_is_recorded(tmp_path: Path) -> None:
    path, made = str(tmp_path / "l.nasm"), str(tmp_path / "l.nrec")
    Path(path).write_text(LOOP)
    session = nasm.Session.load(Source(path, LOOP), autosync=True)
    Path(made).write_bytes(session.recorded())
    session.goto("end")
    again = nasm.Session.replayed(Path(made).read_bytes())
    again.goto("end")
    assert again.recorded() == session.recorded()
