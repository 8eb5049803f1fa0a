"""What the hook puts in place, and that it leaves nothing behind."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import logging
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure
from nasm.nki.hook import CHIP_LOADER, CHIPS
from nasm.nki.simulator import KernelTimes
from nasm.nki.tracing import tracing

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def doubled(x):
    import nki.language as again
    assert again is not None
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=y, src=t)
    return y
"""


def named_nki() -> dict[str, Any]:
    names = ("nki", "neuronxcc")
    return {n: m for n, m in sys.modules.items() if n.partition(".")[0] in names}


@pytest.fixture(autouse=True)
def nothing_stays() -> Any:
    modules, finders, path = named_nki(), list(sys.meta_path), list(sys.path)
    yield
    assert named_nki() == modules
    assert sys.meta_path == finders
    assert sys.path == path


def test_outside_of_the_hook_there_is_no_nki() -> None:
    with nasm.nki.installed():
        assert importlib.import_module("nki.language").sbuf == "sbuf"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("nki.language")


def test_all_modules_of_nki_are_there() -> None:
    inner = [
        "isa",
        "isa.constants",
        "language",
        "typing",
        "dtype",
        "collectives",
        "compiler",
        "simulator",
    ]
    with nasm.nki.installed():
        for name in ("nki", *(f"nki.{each}" for each in inner)):
            module = importlib.import_module(name)
            assert importlib.util.find_spec(name) is module.__spec__
        nki = importlib.import_module("nki")
        assert nki.isa.constants.oob_mode is nki.isa.oob_mode
        assert nki.dtype.bfloat16 == "bfloat16"
        assert nki.typing.tensor[128, 512] is nki.typing.tensor


def test_nested_hooks_are_one() -> None:
    with nasm.nki.installed():
        first = importlib.import_module("nki")
        with nasm.nki.installed():
            assert importlib.import_module("nki") is first
        assert importlib.import_module("nki") is first


def test_the_hook_stays_until_the_last_thread_has_left() -> None:
    entered, leave = threading.Event(), threading.Event()
    seen: list[str] = []

    def other() -> None:
        with nasm.nki.installed():
            entered.set()
            leave.wait(10)
            seen.append(importlib.import_module("nki.isa").__name__)

    with nasm.nki.installed():
        thread = threading.Thread(target=other)
        thread.start()
        assert entered.wait(10)
    assert "nki" in sys.modules  # the other is still inside
    leave.set()
    thread.join()
    assert seen == ["nki.isa"]


def test_a_vendors_package_comes_back_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    vendor, inner = ModuleType("nki"), ModuleType("nki.their_own")
    vendor.their_own = inner  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nki", vendor)
    monkeypatch.setitem(sys.modules, "nki.their_own", inner)
    with nasm.nki.installed():
        assert importlib.import_module("nki") is not vendor
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("nki.their_own")
    assert sys.modules["nki"] is vendor
    assert sys.modules["nki.their_own"] is inner


def test_a_placeholder_that_raises_is_never_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nki").mkdir()
    (tmp_path / "nki" / "__init__.py").write_text("raise ImportError('WRONG PACKAGE')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "nki", raising=False)  # that of these tests
    with nasm.nki.installed():
        assert callable(importlib.import_module("nki").jit)
    with pytest.raises(ImportError, match="WRONG PACKAGE"):
        importlib.import_module("nki")


def test_the_vendors_neuronxcc_keeps_its_own_nki(monkeypatch: pytest.MonkeyPatch) -> None:
    package, old = ModuleType("neuronxcc"), ModuleType("neuronxcc.nki")
    package.nki = old  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "neuronxcc", package)
    monkeypatch.setitem(sys.modules, "neuronxcc.nki", old)
    with nasm.nki.installed():
        assert importlib.import_module("neuronxcc.nki") is not old
    assert sys.modules["neuronxcc.nki"] is old
    assert package.nki is old  # type: ignore[attr-defined]


def test_a_kernel_runs_when_the_hook_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "their_kernel.py"
    path.write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("their_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with nasm.nki.installed():
        spec.loader.exec_module(module)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (module.doubled(x) == 2 * x).all()


@pytest.mark.parametrize("order", list(itertools.permutations(["nki.language", "nki", "nki.isa"])))
def test_whatever_is_imported_first_they_are_the_same_modules(order: tuple[str, ...]) -> None:
    with nasm.nki.installed():
        found = {name: importlib.import_module(name) for name in order}
        assert found["nki"].isa is found["nki.isa"]
        assert found["nki"].language is found["nki.language"]


def test_many_threads_that_come_and_go_leave_nothing() -> None:
    def work() -> None:
        for _ in range(20):
            with nasm.nki.installed():
                seen.append(importlib.import_module("nki.isa").__name__)

    seen: list[str] = []
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["nki.isa"] * 160


def test_a_hook_that_is_left_out_of_turn_stays_for_the_other() -> None:
    one, other = nasm.nki.installed(), nasm.nki.installed()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert importlib.import_module("nki").__name__ == "nki"
    other.__exit__(None, None, None)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("nki.language")


def test_a_kernel_that_raises_half_way_leaves_nothing(tmp_path: Path) -> None:
    before = named_nki()

    def kernel(x: Any) -> None:
        importlib.import_module("nki.language").load(x)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nasm.nki.trace(kernel, np.ones((2, 3), np.float32))
    assert named_nki() == before
    assert tracing() is None


def test_what_raises_inside_leaves_nothing() -> None:
    before = named_nki()
    with pytest.raises(ZeroDivisionError), nasm.nki.installed():
        raise ZeroDivisionError
    assert named_nki() == before


def test_both_dialects_are_there_and_what_aws_alone_has_is_said_to_be_missing() -> None:
    with nasm.nki.installed():
        for name in ("language", "isa", "isa.constants", "typing", "compiler"):
            module = importlib.import_module(f"neuronxcc.nki.{name}")
            assert importlib.util.find_spec(f"neuronxcc.nki.{name}") is module.__spec__
        with pytest.raises(ImportError) as missing:
            importlib.import_module("neuronxcc.nki.kernels")
        assert missing.value.name == "neuronxcc.nki.kernels"
        (problem,) = missing.value.problems  # type: ignore[attr-defined]
        assert problem.code == "E0650"
        assert "neuronxcc.nki.language" in problem.hint


def test_the_level_of_logging_that_aws_adds_goes_again() -> None:
    with nasm.nki.installed():
        assert logging.OFF > logging.CRITICAL  # type: ignore[attr-defined]
    assert not hasattr(logging, "OFF")


def test_annotations_of_nki_0_1_can_be_imported() -> None:
    with nasm.nki.installed():
        types = importlib.import_module("neuronxcc.nki.typing")
        assert types.tensor[1] is types.tensor


@pytest.mark.parametrize("name", ["libneuronxla", "torch_neuronx.xla_impl", "torch_xla.runtime"])
def test_what_drives_a_chip_is_said_to_be_missing(name: str) -> None:
    with nasm.nki.installed(), pytest.raises(ImportError) as missing:
        importlib.import_module(name)
    assert missing.value.name == name
    (problem,) = missing.value.problems  # type: ignore[attr-defined]
    assert problem.message.endswith("it drives a chip, and there is none here")
    assert "the kernel itself can be called with arrays" in problem.hint


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """PyTorch, or of it what is asked for to call a kernel."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError:
        made = ModuleType("torch")

        def custom_op(name: str, *, mutates_args: Any) -> Any:
            return lambda function: (name, mutates_args, function)

        vars(made).update(device=lambda name: name, library=SimpleNamespace(custom_op=custom_op))
        monkeypatch.setitem(sys.modules, "torch", made)
        return made


def test_kernels_are_called_through_the_packages_of_a_chip(
    torch: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CHIP_LOADER, "named", set())
    x = np.ones((2, 3), np.float32)
    with nasm.nki.installed():
        xm = importlib.import_module("torch_xla.core.xla_model")
        xla = importlib.import_module("torch_xla")
        assert xm.xla_device() == xla.device() == torch.device("cpu")
        assert xm.mark_step() is xla.sync(wait=True) is None
        with pytest.raises(AttributeError, match="of torch_xla there is only what"):
            _ = xla.launch
        neuronx = importlib.import_module("torch_neuronx")
        names: dict[str, Any] = {}
        exec(KERNEL, names)
        assert (neuronx.wrap_nki(names["doubled"])[1](x) == 2 * x).all()
        assert (neuronx.nki_jit(names["doubled"].function)(x) == 2 * x).all()
        importlib.import_module("torch_xla.core")
    assert not {name for name in sys.modules if name.partition(".")[0] in CHIPS}
    said = "{} is not installed: its device is the CPU, and kernels run simulated\n"
    assert capsys.readouterr().err == said.format("torch_xla") + said.format("torch_neuronx")


def test_neuron_dtypes_casts_as_kernels_want_it(capsys: pytest.CaptureFixture[str]) -> None:
    with nasm.nki.installed():
        found = importlib.import_module("neuron_dtypes")
    assert found.bfloat16 is ml_dtypes.bfloat16
    assert found.static_cast([1.00390625], found.bfloat16).tolist() == [1.0]
    four = found.static_cast(np.array([1.0, 2.0, -4.0, 0.5]), found.float4_e2m1fn_x4)
    assert four.shape == (1,)
    assert found.static_cast(four, np.float32).tolist() == [1.0, 2.0, -4.0, 0.5]
    assert found.is_float_type("float8_e5m2")
    assert not found.is_float_type("int32")
    assert (found.sizeinbytes("bfloat16"), found.sizeinbytes(found.float8_e5m2_x4)) == (2, 4)
    assert capsys.readouterr().err == ""  # it drives no chip


def test_a_function_that_calls_kernels_is_an_operator(torch: ModuleType) -> None:
    with nasm.nki.installed():
        nki_op = importlib.import_module("torch_neuronx").nki_op
    if hasattr(torch, "Tensor"):
        pytest.skip("PyTorch registers it for the whole process")

    def function(x: Any) -> Any:
        return x

    assert nki_op("mine::same", mutates_args={})(function) == ("mine::same", (), function)
    assert nki_op("mine::same", function, mutates_args={"x"}) == ("mine::same", ("x",), function)


def test_an_installed_package_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch_xla.py").write_text("def device():\n    return 'a chip'\n")
    monkeypatch.syspath_prepend(tmp_path)
    with nasm.nki.installed():
        assert importlib.import_module("torch_xla").device() == "a chip"
    assert sys.modules.pop("torch_xla").device() == "a chip"


def test_simulate_kernel_takes_arguments_as_the_plug_in_for_vllm_gives_them() -> None:
    x = np.ones((2, 3), np.float32)
    with nasm.nki.installed():
        simulate_kernel = importlib.import_module("nki.simulator").simulate_kernel
        names: dict[str, Any] = {}
        exec(KERNEL, names)
        for found in (
            simulate_kernel(names["doubled"], [], {"x": x}, 2),
            simulate_kernel(names["doubled"], (x,), {}),
            simulate_kernel(names["doubled"].function, args=[x], kwargs={}, lnc=1),
            simulate_kernel(names["doubled"], (), {"x": x}, lnc=2),
            simulate_kernel(names["doubled"], args=[], kwargs={"x": x}, _lnc=2),
        ):
            assert (found == 2 * x).all()


def test_the_times_of_simulated_kernels_are_printed_at_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    atexit: list[Any] = []
    monkeypatch.setattr("atexit.register", atexit.append)
    times = KernelTimes()
    for microseconds in (1.5, 2.25):
        times.add("doubled", microseconds)
    times.add("norm", 1234.0)
    (end,) = atexit
    end()
    assert capsys.readouterr().err.splitlines() == [
        "kernel   calls  simulated µs",
        "doubled      2         3.750",
        "norm         1     1,234.000",
    ]


def test_replica_groups_are_made_as_their_page_shows() -> None:
    with nasm.nki.installed():
        collectives = importlib.import_module("nki.collectives")
    op, made = collectives.rg_partition_op, collectives.ReplicaGroup.from_partition_op
    assert str(made(8, op.bitwise_and, 0)) == "ReplicaGroup([[0, 1, 2, 3, 4, 5, 6, 7]])"
    assert str(made(8, op.div, 4)) == "ReplicaGroup([[0, 1, 2, 3], [4, 5, 6, 7]])"
    assert str(made(8, op.mod, 4)) == "ReplicaGroup([[0, 4], [1, 5], [2, 6], [3, 7]])"
    for wrong, said in (((8, op.mod, 0), "mod by 0"), ((8, "div", 4), "wanted rg_partition_op.")):
        with pytest.raises(Failure, match=said):
            made(*wrong)
