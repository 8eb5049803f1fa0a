"""Programs of several ranks at the command line: inputs and outputs by rank, reports, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TEXT = """\
.target trn2
.ranks 2
.hbm x f32[4] input
.hbm w f32[4] input
.hbm y f32[4] output
@cc Collective y, x, all_reduce, op=add
.expect y[0] == x[0] * ranks
"""
SUM = """\
.target trn2
.ranks 2
.hbm x f32[4] input = iota
.hbm y f32[4] output
@cc Collective y, x, all_reduce, op=add
.expect y ~ ranks * x
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("two.nasm").write_text(TEXT, encoding="utf-8")
    Path("sum.nasm").write_text(SUM, encoding="utf-8")
    np.save("w.npy", np.zeros(4, np.float32))
    return tmp_path


def filled(*values: float) -> np.ndarray[Any, Any]:
    return np.repeat(np.float32(values)[:, None], 4, 1)


def test_a_file_for_each_rank_and_one_for_all(ran: Any) -> None:
    np.save("x0.npy", filled(1)[0])
    np.save("x1.npy", filled(1)[0])
    given = ("--in", "x=x{rank}.npy", "--in", "w=w.npy")
    done = ran("run", "two.nasm", *given, "--out", "y=y{rank}.npy")
    assert done.code == 0, done.out
    assert [np.load(f"y{n}.npy").tolist() for n in (0, 1)] == [[2.0] * 4] * 2
    assert "wrote y to y1.npy" in done.out


def test_arrays_with_an_axis_of_ranks(ran: Any) -> None:
    np.save("x.npy", filled(1, 2))
    given = ("--in", "x=x.npy", "--in", "w=w.npy", "--out-dir", "made")
    done = ran("run", "two.nasm", *given)
    assert np.load("made/y.npy").tolist() == [[3.0] * 4] * 2
    assert done.code == 1  # the expectation is of equal ranks
    assert "FAIL: 1 of 1 expectation failed" in done.out


def test_a_report_has_each_rank_and_each_line_where_they_met(ran: Any) -> None:
    done = ran("run", "sum.nasm", "--ranks", 3)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "sum.nasm on NeuronCore-v3 (Trn2), 3 ranks of trn2.48xlarge"
    assert [line.split()[0] for line in lines[3:6]] == ["0", "1", "2"]
    assert any(line.startswith("all_reduce (line 5)") for line in lines)
    assert lines[-1] == "PASS: 1 expectation met"


def test_a_document_has_each_rank(ran: Any) -> None:
    done = ran("run", "sum.nasm", "--json")
    found = json.loads(done.out)
    assert found["ok"] is True
    assert found["topology"] == "trn2.48xlarge"
    assert [one["rank"] for one in found["ranks"]] == [0, 1]
    assert all(one["report"]["status"] == "finished" for one in found["ranks"])
    (meeting,) = found["meetings"]
    assert meeting["group"] == [0, 1]
    assert meeting["arrivals"] == [0, 0] == meeting["waits"]
    assert (meeting["file"], meeting["line"]) == ("sum.nasm", 5)
    assert found["trace_hash"] != found["ranks"][0]["report"]["trace_hash"] != ""
    assert found["memory_hash"]


def test_ranks_that_do_not_meet_fail_with_both_lines(ran: Any) -> None:
    Path("wrong.nasm").write_text(
        SUM + "@cc CollectiveRankId %r0\n@cc CompareBranch %r0, 1, op=equal, target=end\n"
        "@cc Collective y, x, all_reduce, op=add\n@cc\nend:\n",
        encoding="utf-8",
    )
    for verb in ("run", "check"):
        done = ran(verb, "wrong.nasm")
        assert done.code == 1
        assert "rank 0 waits for ever at all_reduce: rank 1 has ended" in done.out + done.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--trace", "t.json"), "--trace is of one machine"),
        (("--html", "t.html"), "--html is of one machine"),
        (("--schedules", "2"), "--schedules is of one machine"),
        (("--topology", "nowhere"), "no topology 'nowhere'"),
        (("--ranks", "0"), "is not a positive whole number"),
        (("--ranks", "2", "--isolated"), "--ranks does not go with --isolated"),
    ],
)
def test_what_is_refused(ran: Any, more: tuple[str, ...], said: str) -> None:
    done = ran("run", "sum.nasm", *more)
    assert done.code == 2
    assert said in done.out + done.err


def test_an_object_and_a_printed_text_have_the_ranks(ran: Any) -> None:
    assert ran("asm", "sum.nasm", "-o", "sum.o").code == 0
    Path("printed.nasm").write_text(ran("print", "sum.nasm").out, encoding="utf-8")
    hashes = [
        json.loads(ran("run", name, "--json").out)["trace_hash"]
        for name in ("sum.nasm", "sum.o", "printed.nasm")
    ]
    assert len(set(hashes)) == 1
    refused = ran("run", "sum.o", "--ranks", 3)
    assert refused.code == 2
    assert "is assembled for 2 ranks" in refused.out + refused.err


def test_a_limit_is_that_of_each_rank(ran: Any) -> None:
    done = ran("run", "sum.nasm", "--max-cycles", 10)
    assert done.code == 1
    assert "limit reached" in done.out
