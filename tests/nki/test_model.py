"""Several kernels as a model: tensors that stay in HBM, one report, one trace, one profile."""

from __future__ import annotations

import io
import json
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
import nasm.nki
from nasm.apps.cli import main
from nasm.base.problems import Failure, Problem
from nasm.nki.hbm_tensors import HbmTensor
from nasm.nki.model_report import ModelReport
from nasm.show.json_model import model as document

with nasm.nki.installed():
    import nki
    import nki.isa as nisa
    import nki.language as nl

Array = np.ndarray[Any, Any]
LAUNCH = 9.403  # µs on trn2: kernel_ns of docs/timing/v3.md


@nki.jit
def doubled(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=y, src=tile)
    return y


@nki.jit
def increased(x: Any, by: float = 1.0) -> None:
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=by)
    nisa.dma_copy(dst=x, src=tile)


@nki.jit
def shared(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows = x.shape[0] // nl.num_programs(0)
    here = nl.ds(nl.program_id(0) * rows, rows)
    nisa.dma_copy(dst=y[here, :], src=x[here, :])
    return y


def counted(rows: int = 4, columns: int = 8) -> Array:
    return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)


def refused(call: Any) -> Problem:
    with pytest.raises(Failure) as failure:
        call()
    return failure.value.problems[0]


# -- tensors


def test_what_a_kernel_returns_is_what_the_next_one_gets() -> None:
    with nasm.nki.Model() as model:
        made = doubled(doubled(counted()))
        assert isinstance(made, HbmTensor)
        assert (made.shape, made.dtype, made.nbytes) == ((4, 8), np.float32, 128)
        assert (np.asarray(made) == 4 * counted()).all()
    assert [launch.name for launch in model.report.launches] == ["doubled", "doubled"]
    assert model.report.ok


def test_a_kernel_changes_a_tensor_in_hbm_and_an_array_of_the_host() -> None:
    x = counted()
    with nasm.nki.Model() as model:
        held = model.put(x)
        increased(held)
        increased(held, by=2.0)
        increased(x)
        assert (held.numpy() == counted() + 3).all()
    assert (x == counted() + 1).all()
    backs = [(copy.after, copy.name) for copy in model.report.copies if copy.back]
    assert backs == [(3, "x"), (3, "tensor")]


def test_an_array_of_a_tensor_is_a_copy() -> None:
    with nasm.nki.Model() as model:
        source = counted()
        held = model.put(source)
        source += 1
        held.numpy()[:] = 9
        assert (np.asarray(held, np.float64) == counted()).all()
        with pytest.raises(ValueError, match="an array of it is a copy"):
            np.asarray(held, copy=False)


def test_every_copy_is_in_the_report_with_its_place() -> None:
    with nasm.nki.Model() as model:
        held = model.put(counted(), "weights")
        doubled(held)
        np.asarray(doubled(counted(4, 2)))
    found = [(c.name, c.bytes, c.after, c.back) for c in model.report.copies]
    assert found == [("weights", 128, 0, False), ("x", 32, 1, False), ("y", 32, 2, True)]
    assert model.report.host == (
        "before the first launch: weights copied to HBM, 128 bytes",
        "after launch 1: x copied to HBM, 32 bytes",
        "after launch 2: y copied to the host, 32 bytes",
    )


def test_kernels_on_one_core_and_on_two_share_tensors() -> None:
    with nasm.nki.Model() as model:
        assert (np.asarray(doubled(shared[2](counted()))) == 2 * counted()).all()
    engines = {(e.core, e.engine): e.instructions for e in model.report.total.engines}
    one, two = (launch.report.engines for launch in model.report.launches)
    assert (
        engines[1, "sync"] == next(e for e in one if (e.core, e.engine) == (1, "sync")).instructions
    )
    assert sum(engines.values()) == sum(e.instructions for e in (*one, *two))


def test_a_tensor_without_values_cannot_be_read() -> None:
    with nasm.nki.Model() as fast:
        doubled(doubled(counted()))
    with nasm.nki.Model(values=False) as model:
        made = doubled(doubled(counted()))
        assert refused(made.numpy).message == "tensor y: a run without values has none"
    assert model.report.microseconds == fast.report.microseconds
    assert made.shape == (4, 8)


# -- time


def test_the_time_of_a_model_is_that_of_its_kernels_with_a_launch_for_each() -> None:
    alone = [nasm.nki.run(doubled, counted(4, n)).report.microseconds for n in (8, 512)]
    with nasm.nki.Model(target="trn2") as model:
        for columns in (8, 512):
            doubled(counted(4, columns))
    report = model.report
    assert report.microseconds == pytest.approx(fsum(alone), abs=1e-9)
    assert report.end == pytest.approx(fsum(alone) + 2 * LAUNCH, abs=1e-9)
    first, second = report.launches
    assert (first.begin, first.added) == (0, LAUNCH)
    assert second.begin == pytest.approx(alone[0] + LAUNCH)
    assert report.total.entry_and_exit == pytest.approx(2 * LAUNCH)


def test_the_total_is_the_sum_of_the_runs() -> None:
    with nasm.nki.Model() as model:
        for _ in range(3):
            doubled(counted())
    total, one = model.report.total, model.report.launches[0].report
    assert total.ticks == 3 * one.ticks
    assert total.channel_bytes == 3 * one.channel_bytes
    for engine, each in zip(total.engines, one.engines, strict=True):
        assert (engine.engine, engine.busy, engine.waiting) == (
            each.engine,
            3 * each.busy,
            3 * each.waiting,
        )
        assert engine.utilisation == pytest.approx(each.utilisation)
    assert dict(total.evidence) == {name: 3 * n for name, n in one.evidence}


def test_the_same_model_twice_is_the_same_report() -> None:
    def reported() -> ModelReport:
        with nasm.nki.Model() as model:
            np.asarray(doubled(doubled(counted())))
        return model.report

    assert reported() == reported()
    assert reported().total.trace_hash


# -- what is shown


def test_a_report_shows_kernels_launches_and_the_host() -> None:
    with nasm.nki.Model("two") as model:
        increased(doubled(counted()))
    text = str(model.report)
    assert text.startswith("two on NeuronCore-v3 (Trn2)\n")
    for part in ("doubled           1", "increased         1", "9.4 µs for a kernel, 19 µs in all"):
        assert part in text
    assert "the host, whose copies and NumPy are not in the time:" in text
    assert "FAIL" not in text
    assert repr(model.report) == f"<two: 2 kernels, {model.report.end:,.3f} µs>"


def test_launches_are_added_up_by_kernel() -> None:
    with nasm.nki.Model() as model:
        increased(doubled(counted()))
        doubled(counted())
    first, second, third = model.report.launches
    shares = model.report.kernels
    assert [(share.name, share.launches) for share in shares] == [("doubled", 2), ("increased", 1)]
    assert shares[0].microseconds == fsum((first.microseconds, third.microseconds))
    assert shares[1].microseconds == second.microseconds


def test_a_report_as_a_document_has_launches_copies_and_sums() -> None:
    with nasm.nki.Model("two") as model:
        increased(doubled(counted()))
    found = json.loads(json.dumps(document(model.report)))
    assert [launch["name"] for launch in found["launches"]] == ["doubled", "increased"]
    assert found["copies"] == [{"name": "x", "bytes": 128, "after": 0, "back": False}]
    assert found["total"]["program"] == "two"
    assert found["device_microseconds"] == model.report.end
    assert found["total"]["time"]["ticks"] == model.report.total.ticks


def test_a_timeline_has_every_kernel_where_its_launch_has_got_to() -> None:
    out = io.BytesIO()
    with nasm.nki.Model(timeline=out) as model:
        doubled(doubled(counted()))
    events = json.loads(out.getvalue())["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    kernels = [e for e in slices if e["name"] == "doubled"]
    threads = [e for e in events if e["name"] == "thread_name"]
    begins = [launch.begin + launch.added for launch in model.report.launches]
    assert [e["ts"] for e in kernels] == pytest.approx(begins, abs=0.001)
    assert len(threads) == len({e["args"]["name"] for e in threads})
    for launch, kernel in zip(model.report.launches, kernels, strict=True):
        end = kernel["ts"] + kernel["dur"]
        inside = [e for e in slices if kernel["ts"] - 1e-6 <= e["ts"] < end and "args" in e]
        assert sum(e["name"] == "TensorScalar" for e in inside) == 1
        assert end == pytest.approx(launch.end, abs=0.001)
    ids = [e["id"] for e in events if e["ph"] == "s"]
    assert ids
    assert len(ids) == len(set(ids))


def test_a_profile_is_the_sum_of_the_kernels_profiles() -> None:
    one = nasm.nki.run(doubled, counted(), profile=True).result.session.profile()
    with nasm.nki.Model("twice", profile=True) as model:
        doubled(doubled(counted()))
    found = model.profile()
    assert found.ticks == 2 * one.ticks == sum(part.ticks for part in found.spent)
    for mine, its in zip(found.engines, one.engines, strict=True):
        assert (mine.name, mine.busy, mine.empty) == (its.name, 2 * its.busy, 2 * its.empty)
        assert mine.busy + mine.empty + sum(s.ticks for s in mine.stalls) == found.ticks
    assert [(p.text, p.ticks, p.steps) for p in found.path] == [
        (p.text, 2 * p.ticks, 2 * p.steps) for p in one.path
    ]
    assert (found.rates.read, found.rates.written) == (2 * one.rates.read, 2 * one.rates.written)
    assert found.rates.mbu == pytest.approx(one.rates.mbu)
    for bound, its in zip(found.bounds, one.bounds, strict=True):
        assert bound.microseconds == pytest.approx(2 * its.microseconds)
        assert bound.gap == pytest.approx(2 * its.gap)
    assert str(found).startswith("twice on NeuronCore-v3 (Trn2)\n")


SCRIPT = """
import nasm.nki
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

@nki.jit
def copied(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=y, src=x)
    return y

with nasm.nki.Model() as model:
    print(np.asarray(copied(copied(np.ones((2, 3), np.float32)))).sum())
"""


def test_a_script_of_the_command_has_its_settings_and_reports_each_launch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    assert main(["nki", str(path), "--target", "trn1"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "6.0\n"
    assert [line.split(":")[0] for line in shown.err.splitlines()] == ["copied", "copied"]
    assert shown.err.count(" on trn1") == 2
    assert main(["nki", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [kernel["program"] for kernel in found["kernels"]] == ["copied", "copied"]


# -- what is refused


def test_a_profile_must_be_asked_for() -> None:
    with nasm.nki.Model() as model:
        doubled(counted())
    assert refused(model.profile).code == "E0815"


def test_a_model_without_kernels_has_no_report() -> None:
    with nasm.nki.Model() as model:
        pass
    assert "no kernel of model has been called" in refused(lambda: model.report).message


def test_a_kernel_that_is_refused_leaves_the_launches_before_it() -> None:
    with nasm.nki.Model() as model:
        doubled(counted())
        refused(lambda: doubled(np.zeros((200, 8), np.float32)))
    assert len(model.report.launches) == 1
    assert (doubled(counted()) == 2 * counted()).all()  # outside, a call is what it was


def test_a_setting_that_does_not_exist_is_named() -> None:
    with pytest.raises(TypeError, match="Model has no setting 'profil': did you mean 'profile'"):
        nasm.nki.Model(profil=True)  # type: ignore[call-arg]
