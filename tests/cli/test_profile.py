"""The verb ``profile``: one screen, its exit codes, and runs that did not end."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.analysis.profile.what_if import WhatIf
from nasm.base.signals import StopSignal
from nasm.debugger.session import Session
from nasm.runs.execution import Execution
from nasm.show.profile import tenths
from tests.cli.programs import MATMUL, process, written
from tests.parts import part

ROOT = Path(__file__).parents[2]
TILED = ROOT / "programs" / "matmul_tiled.nasm"
DIGITS = ROOT / "programs" / "digits.nasm"
COLUMNS = ROOT / "programs" / "columns.nasm"

STUCK = """\
.target trn2
.sbuf a f32[128, 64]
.sem s
@vector Memset a, 1.0 $s++
@vector Memset a, 2.0 $s >= 5
"""


def test_a_profile_is_one_screen_in_order(ran: Any) -> None:
    done = ran("profile", TILED)
    assert (done.code, done.err) == (0, "")
    heads = [
        f"{TILED} on NeuronCore-v2 (Trn1)",
        "time: ",
        "bound by ",
        "engine ",
        "moved by",
        "bound  ",
        "MFU ",
        " path ",
        "what would help",
        "W0101 ",
    ]
    lines = done.out.splitlines()
    at = [next(n for n, line in enumerate(lines) if line.startswith(head)) for head in heads]
    assert at == sorted(at)
    assert len(lines) <= 50


def test_the_verdict_has_the_largest_part_of_the_path(ran: Any) -> None:
    found = json.loads(ran("profile", MATMUL, "--json").out)
    spent = found["path"]["spent"]
    most, total = max(part["ticks"] for part in spent), sum(part["ticks"] for part in spent)
    assert total == found["time"]["ticks"]
    assert found["verdict"].endswith(f": {100 * most / total:.0f} % of the critical path")
    assert sum(line["ticks"] for line in found["path"]["lines"]) == total


def test_percentages_add_up_to_100(ran: Any) -> None:
    for program in (TILED, MATMUL, COLUMNS):
        rows = re.findall(r"^(?:tensor|vector|scalar|gpsimd|sync) +\S+ +(.*)$",
                          ran("profile", program, "--no-what-if").out, re.MULTILINE)  # fmt: skip
        assert rows
        for row in rows:
            *parts, _ = re.findall(r"([\d.]+)%", row)  # the last is what is active
            assert round(sum(map(float, parts)), 1) == 100


@pytest.mark.parametrize("columns", [80, 100, 60])
def test_it_fits_a_screen(ran: Any, monkeypatch: Any, columns: int) -> None:
    from nasm.apps.cli.screen import Screen

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(Screen, "width", columns)
    assert max(map(len, ran("profile", TILED, "--no-what-if").out.splitlines())) <= columns


def test_without_more_than_ascii_there_is_none(ran: Any, monkeypatch: Any) -> None:
    from nasm.apps.cli.screen import Screen

    monkeypatch.setattr(Screen, "ascii_only", True)
    out = ran("profile", TILED, "--no-what-if", "--path").out
    assert set(out) - set(map(chr, range(128))) <= {"µ"}  # as every report says it


def test_the_path_lists_every_line_with_its_slack(ran: Any) -> None:
    done = ran("profile", DIGITS, "--path", "--no-what-if")
    table = done.out.partition(" path ")[2].partition("\n\n")[0].splitlines()[1:]
    slack = [float(line.split(" µs")[0].split()[-1]) for line in table]
    shares = [re.match(r" *[\d.]+%", line) is not None for line in table]
    assert shares == sorted(shares, reverse=True)
    assert any(shares)
    assert not all(shares)
    assert slack[0] == 0
    behind = [room for room, share in zip(slack, shares, strict=True) if not share]
    assert behind == sorted(behind)


def test_a_program_that_depends_on_values_is_run_with_them(ran: Any) -> None:
    done = ran("profile", COLUMNS)
    assert done.code == 0
    assert "E0518" not in done.out
    refused = ran("profile", COLUMNS, "--no-values")
    assert refused.code == 1
    assert "E0518" in refused.out


POLLS = """\
.target trn2
.hbm A i32[1, 4] input
.sbuf v i32[1, 4]
.sem loaded
@sync DmaCopy v, A $loaded += 16
@vector
EventSemaphore $loaded >= 16
TensorLoad %r1, v[:, 0:1]
again: RegisterAlu %r1, %r1, 1, op=subtract
CompareBranch %r1, 0, op=greater, target=again
"""


@pytest.mark.turns(3)
@pytest.mark.parametrize("pipe", part(["program", "timing", "input"], 1))
def test_a_program_that_is_run_with_values_is_read_only_once(tmp_path: Path, pipe: str) -> None:
    given = {"program": tmp_path / "p.nasm", "timing": tmp_path / "t.toml"}
    given |= {"input": tmp_path / "a.npy", "pipe": tmp_path / "pipe"}
    given["program"].write_text(POLLS, encoding="utf-8")
    given["timing"].write_text("semaphore_ns = 500\n", encoding="utf-8")
    np.save(given["input"], np.array([[5, 0, 0, 0]], np.int32))

    def profiled() -> str:
        arguments = (given["program"], "--timing", given["timing"], "--in", f"A={given['input']}")
        done = process("profile", *arguments, "--timeout", "60")
        assert (done.code, done.err) == (0, "")
        return done.out

    once = profiled()
    assert "semaphore_ns 500 instead of 40 ns" in once
    os.mkfifo(given["pipe"])
    held = given[pipe].read_bytes()
    writer = threading.Thread(target=given["pipe"].write_bytes, args=(held,), daemon=True)
    writer.start()
    before, given[pipe] = given[pipe], given["pipe"]
    assert profiled().replace(str(given["pipe"]), str(before)) == once
    writer.join()


def test_reported_to_stop_it_tells_of_the_run_as_it_ended(ran: Any, monkeypatch: Any) -> None:
    def some(_: Execution) -> Iterator[WhatIf]:
        yield WhatIf("free time", 1_000, 4_000)
        raise StopSignal(signal.SIGTERM)

    monkeypatch.setattr(Execution, "what_if", some)
    done = ran("profile", MATMUL)
    assert done.code == 143
    assert "not finished" not in done.out
    assert "free time" in done.out
    assert "after its end" in done.err
    document = json.loads(ran("profile", MATMUL, "--json").out)
    assert (document["status"], document["exit_code"]) == ("finished", 143)
    assert [outcome["name"] for outcome in document["outcomes"]] == ["free time"]


def test_a_deadlock_is_profiled_as_far_as_it_got(ran: Any, tmp_path: Path) -> None:
    done = ran("profile", written(tmp_path, STUCK))
    assert done.code == 1
    assert "not finished (deadlock): the run up to there" in done.out
    assert "E0510" in done.out
    assert "what would help" not in done.out
    assert re.search(r"^vector +1 .*% +semaphore ", done.out, re.MULTILINE)


def test_a_limit_is_said_and_exits_1(ran: Any) -> None:
    done = ran("profile", TILED, "--max-cycles", "2000")
    assert done.code == 1
    assert "not finished (limit reached): the run up to there" in done.out
    assert "E0511" in done.out
    document = json.loads(ran("profile", TILED, "--max-cycles", "2000", "--json").out)
    assert (document["status"], document["exit_code"]) == ("limit", 1)
    assert [p["code"] for p in document["problems"]] == ["E0511"]
    assert document["outcomes"] == []


def test_what_does_not_assemble_exits_2(ran: Any, tmp_path: Path) -> None:
    bad = written(tmp_path, ".target trn1\n@sync Npo\n")
    done = ran("profile", bad)
    assert (done.code, done.out) == (2, "")
    assert "E0201" in done.err
    found = json.loads(ran("profile", bad, "--json").out)
    assert set(found) >= {"program", "status", "problems"}
    assert found["status"] == "refused"


def test_hazards_are_counted_and_exit_1(ran: Any, tmp_path: Path) -> None:
    text = ".target trn2\n.sbuf a f32[128, 64]\n@gpsimd Memset a, 1.0\n@vector Memset a, 2.0\n"
    done = ran("profile", written(tmp_path, text))
    assert done.code == 1
    assert "1 hazard: 'neuron-nasm run' shows them" in done.out


def test_two_profiles_of_one_program_are_the_same(ran: Any) -> None:
    assert ran("profile", TILED).out == ran("profile", TILED).out


def test_what_helps_is_what_python_finds(ran: Any) -> None:
    session = Session(TILED, profile=True, values=False)
    session.run()
    outcomes = list(session.what_if())
    assert outcomes
    found = session.profile(outcomes=outcomes)
    assert [o.saved for o in found.outcomes] == sorted((o.saved for o in outcomes), reverse=True)
    best = found.outcomes[0]
    out = ran("profile", TILED).out.partition("what would help")[2].splitlines()[1]
    assert out.startswith(best.name)
    assert f"{best.saved / 5600:,.1f} µs" in out


def test_tenths_are_rounded_so_that_they_are_all_there_is() -> None:
    assert tenths([1, 1, 1]) == ["33.4%", "33.3%", "33.3%"]
    assert tenths([0, 0]) == ["0.0%", "0.0%"]
    assert tenths([999_999, 1]) == ["100.0%", "0.0%"]
    assert tenths([5, 0, 15]) == ["25.0%", "0.0%", "75.0%"]


def test_a_run_in_which_nothing_happened_says_so(ran: Any, tmp_path: Path) -> None:
    done = ran("profile", written(tmp_path, ".target trn2\n"))
    assert done.code == 0
    assert "no instruction started" in done.out
    assert "bound by" not in done.out


def test_a_timeline_is_as_wide_as_the_screen(ran: Any, monkeypatch: Any) -> None:
    from nasm.apps.cli.screen import Screen

    for columns in (80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(Screen, "width", columns)
        lines = ran("profile", TILED, "--timeline").out.splitlines()
        assert columns - 4 <= max(map(len, lines)) <= columns
        assert lines[1].startswith("tensor ")
        assert any(line.startswith("waits for  ") for line in lines)


def test_a_timeline_has_bounds(ran: Any) -> None:
    done = ran("profile", TILED, "--timeline", "2us..3us")
    assert done.out.split("\n")[0].split() == ["2,000", "ns", "3,000", "ns"]
    done = ran("profile", TILED, "--timeline=9us..nowhere")
    assert (done.code, done.out) == (2, "")
    assert "E0816" in done.err


@pytest.mark.parametrize("more", ["--json", "--path"])
def test_a_timeline_shows_nothing_else(ran: Any, more: str) -> None:
    done = ran("profile", TILED, "--timeline", more)
    assert done.code == 2
    assert f"{more} does not go with --timeline" in done.out + done.err


def test_a_bound_that_means_nothing_is_reported_of_a_program_that_ran(ran: Any) -> None:
    done = ran("profile", TILED, "--timeline=9us..3us")
    assert (done.code, done.out) == (2, "")
    assert "E0816" in done.err
    assert done.err.endswith("\n1 error\n")


def test_the_program_is_before_a_timeline_without_bounds(ran: Any) -> None:
    done = ran("profile", "--timeline", TILED)
    assert done.code == 2
    assert "write the program before --timeline" in done.err
