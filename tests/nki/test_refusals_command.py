"""What a kernel may do to the command: exit, interrupt, never end, print a lot; and threads."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.apps.cli import main
from nasm.nki.tracing import tracing

with nasm.nki.installed():
    import nki
    import nki.isa as nisa
    import nki.language as nl

KERNELS = """\
import sys
import nki
import nki.isa as nisa
import nki.language as nl


def copied(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=y, src=x)
    return y


@nki.jit
def asserts(x):
    assert x.shape[0] == 64, f"{x.shape[0]} rows, wanted 64"


@nki.jit
def branches(x):
    if nl.load(x) > 0:
        return copied(x)


@nki.jit
def exits(x):
    sys.exit(3)


@nki.jit
def exits_well(x):
    sys.exit(0)


class Base(BaseException):
    pass


@nki.jit
def raises_a_base(x):
    raise Base("out")


@nki.jit
def interrupts(x):
    raise KeyboardInterrupt


@nki.jit
def never_ends(x):
    while True:
        pass


@nki.jit
def recurses(x, n=0):
    return recurses(x, n + 1)


@nki.jit
def recurses_in_a_call(x):
    tile = nl.load(x)

    def deeper(n):
        nisa.tensor_copy(dst=tile, src=tile)
        deeper(n + 1)

    deeper(0)


@nki.jit
def talks(x):
    for n in range(2000):
        print("line", n)
    return copied(x)


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@nki.jit
def raises_silently(x):
    raise Silent


@nki.jit
def calls_another(x):
    return talks(copied(x))


@nki.jit
def imports_a_chip(x):
    import libneuronxla


@nki.jit
def imports_nothing(x):
    import no_such_module_at_all
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("broken_kernels.py").write_text(KERNELS)
    yield tmp_path
    sys.modules.pop("broken_kernels", None)


class Ran:
    """A call of the command: its exit code, and what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], name: str, *more: str) -> None:
        self.code = main(["nki", f"broken_kernels.py:{name}", "--in", "x=ones[4,8]", *more])
        self.out, self.err = capsys.readouterr()


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("asserts", 1, "error[E0655]: AssertionError: 4 rows, wanted 64\n"),
        ("branches", 2, "error[E0651]: > of <sbuf load float32[4, 8]>: tensors have no operators"),
        ("recurses", 1, "error[E0655]: RecursionError: maximum recursion depth exceeded"),
        ("recurses_in_a_call", 1, "error[E0655]: RecursionError: maximum recursion depth"),
        ("raises_silently", 1, "error[E0655]: Silent\n"),
        ("imports_a_chip", 2, "no module libneuronxla: it drives a chip, and there is none here"),
        ("imports_nothing", 1, "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
    ],
)
def test_what_a_kernel_raises_is_reported_without_a_traceback(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, code: int, said: str
) -> None:
    ran = Ran(capsys, name)
    assert ran.code == code
    assert said in ran.err
    assert "--> broken_kernels.py:" in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) < 50  # of a long recursion the ends


@pytest.mark.parametrize(("name", "code"), [("exits", "3"), ("exits_well", "0")])
def test_a_kernel_that_exits_has_failed(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, code: str
) -> None:
    ran = Ran(capsys, name, "--json")
    document = json.loads(ran.out)
    assert (ran.code, document["exit_code"], document["ok"]) == (1, 1, False)
    (problem,) = document["problems"]
    assert problem["message"] == f"the kernel calls sys.exit({code}): nothing was run"
    assert (problem["code"], problem["file"]) == ("E0655", "broken_kernels.py")


def test_a_script_whose_kernel_exits_has_failed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.py").write_text(
        "import numpy as np, broken_kernels\n"
        "broken_kernels.exits_well(np.ones((4, 8), np.float32))\n"
    )
    assert main(["nki", "s.py"]) == 1
    assert "the kernel calls sys.exit(0)" in capsys.readouterr().err


def test_what_is_no_exception_of_a_kernel_is_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Ran(capsys, "raises_a_base")
    assert (ran.code, "error[E0655]: Base: out\n" in ran.err) == (1, True)


def test_a_kernel_that_is_interrupted_ends_the_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Ran(capsys, "interrupts")
    assert (ran.code, ran.err) == (130, "neuron-nasm: interrupted\n")


def test_a_kernel_that_never_ends_is_stopped_by_the_limit_of_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Ran(capsys, "never_ends", "--timeout", "0.3").code == 124


def test_a_kernel_may_print_a_lot(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(capsys, "talks")
    assert ran.code == 0
    assert ran.out.count("line ") == 2000


def test_a_kernel_that_another_calls_is_a_part_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Ran(capsys, "calls_another").code == 0


def test_nothing_is_left_behind_by_a_kernel_that_raises(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finders = list(sys.meta_path)
    for name in ("asserts", "branches", "interrupts"):
        Ran(capsys, name)
    assert sys.meta_path == finders
    assert tracing() is None


def doubled(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    meet()
    nisa.tensor_tensor(tile, tile, tile, op=nl.add)
    meet()
    nl.store(y, tile)
    return y


MEETING = threading.local()


def meet() -> None:
    """Let the other thread's kernel make a call of its own in between."""
    barrier = getattr(MEETING, "barrier", None)
    if barrier is not None:
        barrier.wait(20)


def test_threads_trace_kernels_at_the_same_time() -> None:
    barrier, found = threading.Barrier(2), {}

    def work(number: int) -> None:
        MEETING.barrier = barrier
        x = np.full((4, 8 + number), number + 1, np.float32)
        found[number] = nki.simulate(doubled)(x)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, output in found.items():
        assert (output == np.full((4, 8 + number), 2 * number + 2)).all()
    assert len(found) == 2
    assert tracing() is None


def test_a_kernel_may_run_another_one_in_a_thread_of_its_own() -> None:
    x, inner = np.ones((4, 8), np.float32), []

    def kernel(x: Any) -> Any:
        given = np.full((2, 3), 5, np.float32)
        other = threading.Thread(target=lambda: inner.append(nki.simulate(doubled)(given)))
        other.start()
        other.join()
        return doubled(x)

    assert (nki.simulate(kernel)(x) == 2).all()
    assert (inner[0] == 10).all()
