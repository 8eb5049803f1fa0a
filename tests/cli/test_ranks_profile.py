"""``profile`` of a program with several ranks: all are run, one is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PROGRAM = """.target trn2
.ranks 3
.hbm  x  f32[128, 64]  input = iota
.hbm  y  f32[128, 64]  output
.hbm  s  f32[128, 64]
.sem  moved, done
@sync CollectiveRankId %r0
@sync DmaCopy s, x  $moved += 16
again: @sync Nop
@sync RegisterAlu %r0, %r0, 1, op=subtract
@sync CompareBranch %r0, 0, op=greater_equal, target=again
@sync EventSemaphore $moved >= 16 $moved += 16
@cc   Collective y, s, all_reduce, op=add  $moved >= 32 $done++
@sync EventSemaphore $done >= 1
"""


def profiled(ran: Any, tmp_path: Path, *words: str) -> str:
    path = tmp_path / "p.nasm"
    path.write_text(PROGRAM)
    found = ran("profile", path, *words)
    assert found.code == 0, found.err
    return str(found.out)


def test_the_rank_that_ended_last_is_reported_with_what_it_waited(ran: Any, tmp_path: Path) -> None:
    out = profiled(ran, tmp_path)
    assert "this is rank 0 of 3, which ended last" in out
    assert "of the critical path" in out
    assert "all_reduce in flight" in out


def test_another_rank_can_be_named(ran: Any, tmp_path: Path) -> None:
    assert json.loads(profiled(ran, tmp_path, "--rank", "2", "--json"))["ok"]
    assert "rank 2 of 3" in profiled(ran, tmp_path, "--rank", "2")
    assert "cc" in profiled(ran, tmp_path, "--rank", "1", "--timeline")


def test_what_names_no_rank_or_needs_one_is_refused(ran: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.nasm"
    path.write_text(PROGRAM)
    for words in (["--rank", "3"], ["--tables", str(tmp_path / "t")]):
        found = ran("profile", path, *words)
        assert found.code == 2
        assert "E0823" in found.err


def test_one_rank_can_be_run_and_compared_as_the_only_one(ran: Any, tmp_path: Path) -> None:
    path, trace = tmp_path / "p.nasm", tmp_path / "t.json"
    path.write_text(PROGRAM)
    found = ran("run", path, "--rank", "1", "--trace", trace, "--json")
    assert found.code == 0, found.err
    whole = json.loads(ran("run", path, "--json").out)
    assert json.loads(found.out)["memory_hash"] == whole["ranks"][1]["report"]["memory_hash"]
    assert json.loads(trace.read_text())["traceEvents"]
    differ = ran("diff", path, "--rank", "1", "--vs", "--rank", "2")
    assert differ.code == 0, differ.err
    refused = ran("diff", path, path, "--vs", "--ranks", "2")
    assert refused.code == 2
    assert "--rank N" in refused.err
