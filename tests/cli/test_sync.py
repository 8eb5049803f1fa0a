"""The verb ``sync`` and ``run --autosync``: what they print and write, and how they exit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
        line.strip() for line in READY.splitlines() if "$" in line or ".sem" in line
    ]
    assert done.err == ("4 instructions: 3 waits, 3 updates of 2 semaphores; 1 of them only wait\n")
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


def test_waits_are_found_anew_where_they_are_left_out(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, READY)
    done = ran("sync", path)
    assert done.code == 2
    assert "E0841" in done.err
    done = ran("sync", path, "--strip", "-q", "-o", "-")
    assert done.code == 0
    assert done.out == READY


def test_a_text_with_a_loop_is_written_out(ran: Any, tmp_path: Path) -> None:
    text = PLAIN.replace("@vector", ".for n in 0..2\n@vector").replace("; twice", "\n.end")
    path, other = written(tmp_path, text.replace("2 * A", "4 * A")), tmp_path / "ready.nasm"
    assert ran("sync", path, "-o", str(other)).code == 0
    assert other.read_text().count("TensorScalar") == 2
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
    assert counts == {"waits": 3, "updates": 3, "only_wait": 1, "semaphores": 2}
    assert document["text"] == READY
    document = json.loads(ran("sync", written(tmp_path, BACKWARD), "--json").out)
    assert [problem["code"] for problem in document["problems"]] == ["E0841"]


def test_a_kernel_needs_no_autosync(ran: Any) -> None:
    done = ran("run", "--autosync", "kernel.py:name")
    assert done.code == 2
    assert "a kernel has no waits of its own" in done.err
