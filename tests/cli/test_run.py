"""What `run` says of a program, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.apps.cli import arguments
from tests.cli.programs import ENDLESS, HALVES, MATMUL, PROGRAMS, written


@pytest.mark.parametrize("name", ["matmul", "matmul_k", "softmax", "countdown"])
def test_a_good_program_passes_and_says_so_last(ran: Any, name: str) -> None:
    done = ran("run", PROGRAMS / f"{name}.nasm")
    assert done.code == 0
    assert done.err == ""
    assert done.out.splitlines()[-1] == "PASS: 1 expectation met"


def test_the_report_names_engines_time_and_how_it_is_known(ran: Any) -> None:
    lines = ran("run", MATMUL).out.splitlines()
    tensor = next(line for line in lines if line.startswith("tensor")).split()
    # 128 columns / 4 to load; 512 rows to multiply: 32 + 512 cycles, two instructions
    assert tensor[1:3] == ["2", "544"]
    assert any(line.startswith("time: ") and " µs, " in line for line in lines)
    estimate = next(line for line in lines if line.startswith("estimate: "))
    assert "documented" in estimate
    assert "measured" in estimate
    assert any(line.startswith("✓ C ~ A.T @ B") for line in lines)


def test_nothing_of_a_piped_report_is_wider_than_80_columns_or_coloured(ran: Any) -> None:
    done = ran("run", MATMUL)
    assert max(len(line) for line in done.out.splitlines()) <= 80
    assert "\x1b" not in done.out
    assert not any(line != line.rstrip() for line in done.out.splitlines())


def test_a_failed_expectation_exits_1_with_the_worst_elements(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("X * 0.5\n", "X * 0.25\n"), encoding="utf-8")
    done = ran("run", halves)
    assert done.code == 1
    # iota is 0 to 511, rounded to bfloat16: 511 is 512, a half is 256, a quarter 128
    assert "✗ Y == X * 0.25" in done.out
    assert "[127, 3]" in done.out
    assert done.out.splitlines()[-1] == "FAIL: 1 of 1 expectation failed"


def test_a_forgotten_wait_is_a_hazard_and_exits_1(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("  $loaded >= 16", ""), encoding="utf-8")
    done = ran("run", halves)
    assert done.code == 1
    assert "hazard[E0502]" in done.out
    assert "halves.nasm:9:10" in done.out
    assert "^^^^" in done.out
    assert "$loaded" in done.out.split("hint:")[1]


def test_a_deadlock_exits_1_and_says_who_waits_for_what(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("$halved >= 1 ", "$halved >= 2 "), encoding="utf-8")
    done = ran("run", halves)
    assert done.code == 1
    assert "hazard[E0510]" in done.out
    assert "$halved >= 2" in done.out
    assert "short by 1" in done.out
    assert done.out.splitlines()[-1] == "FAIL: deadlock"


def test_a_fault_exits_1(ran: Any, tmp_path: Path) -> None:
    text = ".target trn1\n.sbuf c f32[128, 8]\n@vector\nRegisterMove %r0, 8\n"
    done = ran("run", written(tmp_path, text + "Memset c[:, %r0 : +1], 0.0\n"))
    assert done.code == 1
    assert "E0506" in done.out
    assert done.out.splitlines()[-1] == "FAIL: fault"


def test_max_cycles_stops_an_endless_loop_and_exits_1(ran: Any, tmp_path: Path) -> None:
    done = ran("run", written(tmp_path, ENDLESS), "--max-cycles", "10_000")
    assert done.code == 1
    assert "E0511" in done.out
    assert "10,000 cycles" in done.out
    assert done.out.splitlines()[-1] == "FAIL: limit reached"


def test_the_clock_is_at_the_cycle_limit_however_early_the_last_event_was(
    ran: Any, tmp_path: Path
) -> None:
    # it used to stand at the last event: 20 cycles of 1,000
    text = ".target trn1\n.hbm X u8[64, 64] input = zeros\n.sbuf x u8[64, 64]\n.sem s\n"
    done = ran(
        "run",
        written(tmp_path, text + "@sync DmaCopy x, X $s += 16\n@sync EventSemaphore $s >= 16\n"),
        "--max-cycles",
        "1_000",
    )
    assert done.code == 1
    assert "time: 0.714 µs, 1,000 cycles at 1.4 GHz" in done.out


def test_a_program_without_expectations_says_that_it_promised_nothing(
    ran: Any, tmp_path: Path
) -> None:
    done = ran("run", written(tmp_path, ".target trn1\n@sync Nop\n"))
    assert done.code == 0
    assert done.out.splitlines()[-1] == "PASS: the program has no expectations"


def test_quiet_says_nothing_of_what_is_well_and_all_of_what_is_not(ran: Any, halves: Path) -> None:
    assert ran("run", MATMUL, "--quiet").out == ""
    halves.write_text(HALVES.replace("X * 0.5\n", "X * 0.25\n"), encoding="utf-8")
    done = ran("run", halves, "-q")
    assert done.code == 1
    assert done.out.startswith("✗ Y == X * 0.25\n")


def test_all_errors_of_a_text_are_reported_and_nothing_is_run(ran: Any, tmp_path: Path) -> None:
    text = ".target trn1\n.sbuf c f33[128, 8]\n@vectr Nop\n@sync Npo\n"
    done = ran("run", written(tmp_path, text))
    assert done.code == 2
    assert done.out == ""
    for code in ("E0205", "E0203", "E0201"):
        assert f"error[{code}]" in done.err
    assert done.err.splitlines()[-1] == "3 errors; the program was not run"


def test_an_expectation_that_cannot_be_judged_is_refused_before_the_run(
    ran: Any, halves: Path
) -> None:
    halves.write_text(HALVES.replace("== X * 0.5", "== Z * 0.5"), encoding="utf-8")
    done = ran("run", halves)
    assert done.code == 2
    assert "'Z'" in done.err
    assert done.out == ""


def test_a_golden_file_that_is_missing_exits_2(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("X * 0.5", '"golden.npy"'), encoding="utf-8")
    done = ran("run", halves)
    assert done.code == 2
    assert "golden.npy" in done.out
    assert done.out.splitlines()[-1] == "FAIL: expectations could not be evaluated"


def test_target_and_constants_can_be_given(ran: Any, halves: Path) -> None:
    done = ran("run", halves, "--target", "trn2", "-D", "N=0x8", "--json")
    assert done.document["target"] == "trn2"
    assert done.document["bytes_moved"] == 2 * 128 * 8 * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-D", "M=1"], "no constant 'M'"),
        (["-D", "N"], "not NAME=VALUE"),
        (["-D", "N=four"], "wanted a number"),
        (["-D", f"N={'9' * 5000}"], "is beyond float64"),
        (["-D", f"N=0x{'f' * 5000}"], "-D N: the number has more than 4,096 bits"),
        (["--option", f"rounding.seed=0x{'f' * 5000}"], "rounding.seed is an integer"),
        (["--in", "X"], "neither NAME=FILE nor a .npz file"),
        (["--in", "X=no.npy"], "no file no.npy"),
        (["--in", "Z=x.npy", "--in", "X=x.npy"], "no input 'Z'"),
        (["--in", "X=x.npy", "--in", "X=x.npy"], "given twice"),
        (["--in", "X=float.npy"], "the array holds float32"),
        (["--in", "X=short.npy"], "[127, 4]"),
        (["--in", "X=text.npy"], "not a readable array file"),
        (["--out", "Z=z.npy"], "no tensor 'Z'"),
        (["--out", "Y=y.npy", "--out", "x=y.npy"], "two tensors"),
        (["--target", "trn9"], "no target 'trn9'"),
        (["--max-cycles", "0"], "positive"),
        (["--frobnicate"], "--frobnicate"),
    ],
)
def test_what_is_wrong_with_the_command_line_exits_2(
    ran: Any, halves: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(halves.parent)
    np.save("x.npy", np.zeros((128, 4), np.uint16))
    np.save("float.npy", np.zeros((128, 4), np.float32))
    np.save("short.npy", np.zeros((127, 4), np.uint16))
    Path("text.npy").write_text("hello", encoding="utf-8")
    done = ran("run", "halves.nasm", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert said in done.err


@pytest.mark.parametrize(
    ("name", "said"),
    [("no.nasm", "No such file"), (".", "folder|directory"), ("binary.nasm", "UTF-8")],
)
def test_what_is_no_program_file_exits_2(ran: Any, tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "binary.nasm").write_bytes(bytes(range(256)))
    done = ran("run", tmp_path / name)
    assert done.code == 2
    assert "E0801" in done.err
    assert any(word.lower() in done.err.lower() for word in said.split("|"))


def test_control_characters_of_a_text_do_not_reach_the_terminal(ran: Any, tmp_path: Path) -> None:
    done = ran("check", written(tmp_path, ".target trn1\n\x1b[2J\x00\x07\n"))
    assert done.code == 2
    assert not set(done.err) & {"\x1b", "\x00", "\x07"}


def test_an_endless_loop_ends_after_exactly_so_many_instructions(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, ENDLESS)
    done = ran("run", path, "--max-instructions", "1_001")
    assert done.code == 1
    assert "E0511]: still running after 1,001 instructions: scalar at pc" in done.out
    assert "hint: allow more with --max-instructions" in done.out
    assert done.out.splitlines()[-1] == "FAIL: limit reached"
    report = json.loads(ran("run", path, "--max-instructions", "1_001", "--json").out)
    assert report["status"] == "limit"
    assert [p["code"] for p in report["problems"]] == ["E0511"]
    assert sum(e["instructions"] for e in report["engines"]) == 1_001


def test_the_limit_of_instructions_has_a_default_and_can_be_lifted() -> None:
    def given(*words: str) -> object:
        return arguments.read(["run", "p.nasm", *words]).max_instructions

    assert given() == 10_000_000
    assert [given("--max-instructions", w) for w in ("0", "none", "5")] == [None, None, 5]


def test_the_limit_that_comes_first_counts(ran: Any, tmp_path: Path) -> None:
    path = written(tmp_path, ENDLESS)
    for cycles, count, wanted in ((1_000, 1_000, "1,000 cycles"), (10**6, 10, "10 instructions")):
        done = ran("run", path, "--max-cycles", cycles, "--max-instructions", count)
        assert f"still running after {wanted}: " in done.out


def test_the_limit_names_the_transfer_that_is_in_flight(ran: Any, tmp_path: Path) -> None:
    text = ".target trn1\n.hbm K f16[128, 128]\n.sbuf t f16[128, 128]\n@tensor DmaTranspose t, K\n"
    done = ran("run", written(tmp_path, text), "--max-cycles", 1_000)
    assert "E0511]: still running after 1,000 cycles: a transfer of" in done.out
    assert ":4:9" in done.out


def test_without_values_the_cycles_are_the_same_and_nothing_is_written(ran: Any) -> None:
    full, bare = (ran("run", MATMUL, "--json", *more).document for more in ((), ("--no-values",)))
    for key in ("time", "engines", "trace_hash", "bytes_moved"):
        assert bare[key] == full[key]
    assert (full["values"], full["not_judged"]) == (True, 0)
    assert (bare["values"], bare["not_judged"], bare["memory_hash"]) == (False, 1, "")
    assert (bare["expectations"], bare["exit_code"]) == ([], 0)
    said = ran("run", MATMUL, "--no-values").out.splitlines()
    assert said[0].endswith("on NeuronCore-v2 (Trn1), without values")
    assert said[-1] == "PASS: not judged: 1 expectation that asks for values"


@pytest.mark.parametrize("option", ["--out", "--out-dir"])
def test_without_values_there_are_no_outputs(ran: Any, tmp_path: Path, option: str) -> None:
    done = ran("run", MATMUL, "--no-values", option, "C=c.npy" if option == "--out" else tmp_path)
    assert done.code == 2
    assert f"{option} does not go with --no-values" in done.err
    assert list(tmp_path.iterdir()) == []
