"""What a kernel can be called with, what it gives back, and what is refused on the way."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

import nasm
import nasm.nki
from nasm.base.problems import Failure, Problem, Severity
from nasm.nki.jit import Kernel
from nasm.nki.target import TARGET

with nasm.nki.installed():
    import nki
    import nki.isa as nisa
    import nki.language as nl

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def no_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TARGET, raising=False)


def counted(shape: tuple[int, ...] = (2, 3), dtype: Any = np.float32) -> Array:
    return np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype)


def refused(kernel: Any, *args: Any, **kwargs: Any) -> Problem:
    with pytest.raises(Failure) as failure:
        nasm.nki.trace(kernel, *args, **kwargs)
    return failure.value.problems[0]


def line(problem: Problem) -> str:
    assert problem.span is not None
    return problem.span.text


@nki.jit
def doubled(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=y, src=tile)
    return y


def copied(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=y, src=x)
    return y


# -- calls


@nki.jit
def chosen(x: Any, values: Any, target: int, settings: Any = None, kernel: float = 2.0) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=values if target else x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=kernel)
    nisa.dma_copy(dst=y, src=tile)
    return y


def test_a_kernel_may_have_arguments_that_are_called_as_settings_of_a_run() -> None:
    x, v = counted(), 5 * counted()
    given = {"values": v, "target": 1, "settings": "any", "kernel": 3.0}
    assert (chosen(x, **given) == 3 * v).all()
    assert (nasm.nki.run(chosen, x, kernel_args=given, values=True).outputs == 3 * v).all()
    assert nasm.nki.trace(chosen, x, kernel_args=given, target="trn1").program.generation.name
    with pytest.raises(TypeError, match="scale given as keyword and in kernel_args, too"):
        nasm.nki.trace(chosen, x, kernel_args={"scale": 1}, scale=1)


def test_a_kernel_is_called_like_a_function() -> None:
    x = counted()
    assert (doubled(x) == 2 * x).all()
    assert (doubled(x=x) == 2 * x).all()


def test_every_way_to_call_gives_the_same() -> None:
    x = counted()
    for call in (doubled, doubled[1], doubled[2], nki.simulate(doubled), nki.simulate(doubled[2])):
        assert (call(x) == 2 * x).all()


def test_a_plain_function_is_a_kernel_where_one_is_wanted() -> None:
    x = counted()
    assert (nki.simulate(copied)(x) == x).all()
    assert (nasm.nki.run(copied, x).outputs == x).all()


def test_a_run_has_a_report_a_program_and_a_session() -> None:
    made = nasm.nki.run(doubled, counted())
    assert made.ok
    assert made.report.microseconds > 0
    assert list(made.traced.program.tensors) == ["x", "y", "tile"]
    assert made.traced.outputs == ("y",)
    assert (made.result.outputs["y"] == 2 * counted()).all()


def test_what_was_traced_runs_as_often_as_wanted() -> None:
    traced = nasm.nki.trace(doubled, counted())
    first, second = nasm.nki.run(traced), nasm.nki.run(traced)
    assert (first.outputs == second.outputs).all()
    assert first.report.trace_hash == second.report.trace_hash


def test_a_run_without_values_has_the_same_time_and_no_outputs() -> None:
    timed, whole = nasm.nki.run(doubled, counted(), values=False), nasm.nki.run(doubled, counted())
    assert timed.outputs is None
    assert timed.report.ticks == whole.report.ticks


def test_a_kernel_that_another_calls_is_a_part_of_it() -> None:
    @nki.jit
    def outer(x: Any) -> Any:
        return doubled(x)

    traced = nasm.nki.trace(outer, counted())
    assert len(traced.program) == len(nasm.nki.trace(doubled, counted()).program)


def test_nki_jit_keeps_what_a_function_is_called() -> None:
    assert isinstance(doubled, Kernel)
    assert doubled.__name__ == "doubled"
    assert repr(doubled) == "<kernel doubled>"


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "trace"},
        {"debug_kernel": True, "show_compiler_tb": True},
        {"experimental_flags": "skip-non-top-level-shared-hbm-check"},
    ],
)
def test_options_of_older_versions_say_nothing_here(options: dict[str, Any]) -> None:
    x = counted()
    assert (nki.jit(**options)(copied)(x) == x).all()


def test_the_option_that_nki_dropped_is_refused() -> None:
    with pytest.raises(
        Failure, match=r"nki\.jit\(platform_target=…\), which NKI has not had since"
    ):
        nki.jit(platform_target="trn2")


def test_an_option_that_never_was_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"jit\(\) got an unexpected keyword argument 'colour'"):
        nki.jit(colour="red")


@pytest.mark.parametrize("cores", [0, 3, True, "two", (2, 2)])
def test_a_kernel_runs_on_one_core_or_two(cores: Any) -> None:
    with pytest.raises(Failure, match="wanted 1, or 2 that share HBM"):
        doubled[cores]


def test_two_cores_need_a_target_that_has_them() -> None:
    assert "on trn1 there is no second one" in refused(doubled[2], counted(), target="trn1").message


# -- targets


def test_the_target_is_what_is_said_then_the_variable_then_trn2(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def of(**given: Any) -> str:
        return str(nasm.nki.trace(doubled, counted(), **given).program.generation.spellings[0])

    assert of() == "trn2"
    monkeypatch.setenv(TARGET, "trn1")
    assert of() == "trn1"
    assert of(target="trn3") == "trn3"
    monkeypatch.setenv(TARGET, "gen4")
    assert of() == "trn3"
    monkeypatch.setenv(TARGET, "trn9")
    assert refused(doubled, counted()).message == "no target 'trn9'"


# -- arguments


@pytest.mark.parametrize(
    "dtype",
    [
        np.float32,
        np.float16,
        np.int32,
        np.uint8,
        np.int8,
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3,
        ml_dtypes.float8_e5m2,
    ],
)
def test_arrays_of_every_dtype_come_back_as_they_are(dtype: Any) -> None:
    x = counted(dtype=dtype)
    found = nki.simulate(copied)(x)
    assert found.dtype == x.dtype
    assert found.tobytes() == x.tobytes()


def test_a_bool_is_a_byte() -> None:
    x = np.array([[True, False, True]])
    assert nki.simulate(copied)(x).tolist() == [[1, 0, 1]]


def test_an_array_need_not_be_contiguous() -> None:
    x = counted((4, 6))[::2, ::3]
    assert (nki.simulate(copied)(x) == x).all()
    assert (nki.simulate(copied)(x.T) == x.T).all()


@pytest.mark.parametrize(
    ("array", "message", "hint"),
    [
        (
            np.zeros((2, 2)),
            "argument x is an array of float64, which NKI has no dtype for",
            "pass .astype(numpy.float32) instead",
        ),
        (
            np.zeros((2, 2), np.int64),
            "argument x is an array of int64, which NKI has no dtype for",
            "pass .astype(numpy.int32) instead",
        ),
        (
            np.zeros((2, 2), ">f4"),
            "argument x is an array of >f4, which NKI has no dtype for",
            "kernels take the dtypes of nki.language",
        ),
        (
            np.array(["a"]),
            "argument x is an array of <U1, which NKI has no dtype for",
            "kernels take the dtypes of nki.language",
        ),
        (
            np.array(1, np.float32),
            "argument x is an array without axes (float32)",
            "pass a number, or an array of one element",
        ),
    ],
)
def test_what_is_no_array_of_nki_is_refused(array: Array, message: str, hint: str) -> None:
    problem = refused(copied, array)
    assert (problem.code, problem.message, problem.hint) == ("E0654", message, hint)


def test_all_else_is_passed_as_it_is() -> None:
    seen: list[Any] = []
    given = (3, 2.5, "word", None, nl.float32, nisa.engine.vector, slice(1, 2))

    def kernel(*args: Any) -> None:
        seen.extend(args)

    nasm.nki.trace(kernel, *given)
    assert all(a is b for a, b in zip(seen, given, strict=True))


class Pair(NamedTuple):
    first: Any
    second: Any


class Config(nl.NKIObject):  # type: ignore[misc]
    weight: Any = None
    scale: float = 1.0


@pytest.mark.parametrize("kind", ["tuple", "list", "dict", "named", "object"])
def test_arrays_may_be_inside_of_something(kind: str) -> None:
    a, b = counted(), counted() + 10
    given: Any = {
        "tuple": (a, (b, 2)),
        "list": [a, [b]],
        "dict": {"a": a, "b": b},
        "named": Pair(a, b),
        "object": Config(weight=b),
    }[kind]

    def kernel(x: Any) -> Any:
        found = {
            "tuple": lambda: x[1][0],
            "list": lambda: x[1][0],
            "dict": lambda: x["b"],
            "named": lambda: x.second,
            "object": lambda: x.weight,
        }[kind]()
        return copied(found)

    assert (nki.simulate(kernel)(given) == b).all()
    if kind == "object":
        assert given.weight is b  # what the caller has stays its own


def test_an_array_that_is_passed_twice_is_one_tensor() -> None:
    x = counted()

    def kernel(a: Any, b: Any) -> Any:
        assert a.name == b.name
        return copied(b)

    traced = nasm.nki.trace(kernel, x, x)
    assert list(traced.inputs) == ["a"]


def test_the_memory_of_arguments_is_hbm_and_shared_on_two_cores() -> None:
    found: list[str] = []

    def kernel(x: Any) -> None:
        found.append(str(x.buffer))
        assert (x.buffer == nl.hbm) == (nl.num_programs() == 1)

    nasm.nki.trace(kernel, counted())
    nasm.nki.trace(kernel, counted(), lnc=2)
    assert found == ["private_hbm", "shared_hbm", "shared_hbm"]


def test_a_missing_argument_is_reported_with_the_signature() -> None:
    with pytest.raises(TypeError) as wrong:
        doubled()
    assert str(wrong.value) == "doubled(x: 'Any') -> 'Any': missing a required argument: 'x'"


# -- results


def test_results_come_back_in_the_form_in_which_they_are_returned() -> None:
    x = counted()

    def kernel(x: Any) -> Any:
        return {"one": copied(x), "rest": (copied(x), [doubled(x)]), "count": 3, "what": "x"}

    found = nki.simulate(kernel)(x)
    assert (found["count"], found["what"]) == (3, "x")
    assert (found["one"] == x).all()
    assert isinstance(found["rest"], tuple)
    assert (found["rest"][1][0] == 2 * x).all()


def test_nothing_may_be_returned() -> None:
    def kernel(x: Any) -> None:
        nisa.dma_copy(dst=nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf), src=x)

    assert nki.simulate(kernel)(counted()) is None


def test_a_part_of_a_tensor_may_be_returned() -> None:
    x = counted((4, 6))

    def kernel(x: Any) -> Any:
        y = copied(x)
        return y[1:3, 2:6], y.reshape((8, 3))

    part, other = nki.simulate(kernel)(x)
    assert part.tolist() == x[1:3, 2:6].tolist()
    assert other.tolist() == x.reshape(8, 3).tolist()


def adds_one(x: Any) -> None:
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=x, src=tile)


def test_an_argument_that_is_written_is_changed() -> None:
    x = counted()
    assert nki.simulate(adds_one)(x) is None
    assert (x == counted() + 1).all()
    assert nasm.nki.trace(adds_one, x).changed == ("x",)


def test_an_argument_that_is_only_read_stays() -> None:
    x = counted()
    x.flags.writeable = False
    assert (doubled(x) == 2 * x).all()


def test_an_argument_that_cannot_be_changed_is_refused_before_the_run() -> None:
    x = counted()
    x.flags.writeable = False
    with pytest.raises(Failure) as failure:
        nki.simulate(adds_one)(x)
    (problem,) = failure.value.problems
    assert problem.code == "E0654"
    assert problem.message == "the kernel writes its argument x, and that array cannot be changed"


def in_hbm(x: Any) -> Any:
    made = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.hbm)
    nisa.dma_copy(dst=made, src=x)
    return made


def test_a_result_on_the_chip_is_refused() -> None:
    def kernel(x: Any) -> Any:
        made = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=made, src=x)
        return made

    problem = refused(kernel, counted())
    assert problem.code == "E0654"
    assert problem.message == "the kernel returns <sbuf made float32[2, 3]>: wanted a tensor in HBM"


def test_a_result_in_hbm_is_that_of_core_0_and_a_note_where_there_are_two() -> None:
    x = counted()
    one, two = nasm.nki.run(in_hbm, x), nasm.nki.run(in_hbm, x, lnc=2)
    assert one.ok
    assert two.ok
    assert (one.outputs == x).all()
    assert (two.outputs == x).all()
    assert one.report.warnings == ()
    (note,) = two.report.warnings
    assert (note.code, note.severity) == ("E0654", Severity.NOTE)
    assert note.message == "made is in nl.hbm, where each core has its own: core 0's is returned"


def test_torch_tensors_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.int32, torch.float8_e5m2):
        x = torch.arange(1, 7, dtype=torch.float32).reshape(2, 3).to(dtype)
        found = nki.simulate(copied)(x)
        assert found.dtype == dtype
        assert torch.equal(found.float(), x.float())
    x = torch.ones(2, 3)
    nki.simulate(adds_one)(x)
    assert x.tolist() == [[2.0] * 3] * 2


def test_nothing_imports_torch() -> None:
    if "torch" in sys.modules:
        pytest.skip("a test before has imported it")
    doubled(counted())
    assert "torch" not in sys.modules


# -- two cores


def by_halves(x: Any) -> Any:
    core, cores = nl.program_id(0), nl.num_programs()
    assert nl.program_ndim() == int(cores > 1)
    rows = x.shape[0] // cores
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core * rows : (core + 1) * rows, :])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=100.0 * (core + 1))
    nisa.dma_copy(dst=y[core * rows : (core + 1) * rows, :], src=tile)
    return y


def test_each_core_does_its_part() -> None:
    x = counted((4, 3))
    made = nasm.nki.run(by_halves, x, lnc=2)
    assert (made.outputs[:2] == x[:2] + 100).all()
    assert (made.outputs[2:] == x[2:] + 200).all()
    assert made.ok
    program = made.traced.program
    assert program.cores == 2
    assert list(program.tensors) == ["x", "y", "tile", "tile_c1"]


def test_what_only_core_1_declares_is_refused() -> None:
    def kernel(x: Any) -> Any:
        y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        if nl.program_id(0):
            nl.ndarray((3, 3), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=y, src=x)
        return y

    problem = refused(kernel, counted(), lnc=2)
    assert problem.code == "E0651"
    assert problem.message == (
        "tensor 1 in shared_hbm is float32[3, 3] on core 1; on core 0 it is no such tensor"
    )
    assert line(problem) == "nl.ndarray((3, 3), dtype=x.dtype, buffer=nl.shared_hbm)"


def test_what_only_core_0_declares_is_refused() -> None:
    def kernel(x: Any) -> Any:
        y = copied(x)
        if not nl.program_id(0):
            extra = nl.ndarray((3, 3), dtype=x.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=extra[0:2, :], src=x)
        return y

    problem = refused(kernel, counted(), lnc=2)
    assert problem.message == "extra is in shared_hbm on core 0, and core 1 declares no such tensor"


def test_cores_that_declare_different_shapes_are_refused() -> None:
    def kernel(x: Any) -> Any:
        y = nl.ndarray((2, 3 + nl.program_id(0)), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=y[:, 0:3], src=x)
        return y

    assert refused(kernel, counted(), lnc=2).message == (
        "tensor 0 in shared_hbm is float32[2, 4] on core 1; on core 0 it is y, float32[2, 3]"
    )


def test_cores_that_return_different_tensors_are_refused() -> None:
    def kernel(x: Any) -> Any:
        both = copied(x), copied(x)
        return both[nl.program_id(0)]

    assert refused(kernel, counted(), lnc=2).message == (
        "the kernel returns y_1 on core 1, and y on core 0"
    )


# -- names and places


def test_tensors_have_the_names_of_their_variables() -> None:
    class Held:
        tile: Any

    def made(shape: tuple[int, int]) -> Any:
        return nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)

    def kernel(x: Any) -> None:
        one = made((2, 3))
        two, three = made((2, 3)), made((2, 3))
        tiles = [made((2, 3)) for _ in range(2)]
        more = []
        more.append(made((2, 3)))
        held = Held()
        held.tile = made((2, 3))
        named = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.sbuf, name="by hand")
        for tile in (one, two, three, *tiles, *more, held.tile, named, made((2, 3))):
            nisa.dma_copy(dst=tile, src=x)

    assert list(nasm.nki.trace(kernel, counted()).program.tensors) == [
        *("x", "one", "two", "three", "tiles", "tiles_1", "more", "tile", "by_hand", "sbuf")
    ]


def test_an_instruction_knows_its_line_and_how_python_got_there() -> None:
    def helper(tile: Any) -> None:
        nisa.memset(tile, 1.0)

    def kernel(x: Any) -> None:
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        helper(tile)

    program = nasm.nki.trace(kernel, counted()).program
    (queue,) = (n for n, queue in enumerate(program.queues) if len(queue))
    span = program.span(queue, 0)
    assert span is not None
    assert span.text == "nisa.memset(tile, 1.0)"
    assert [(frame.what, frame.span.text) for frame in span.chain] == [("kernel", "helper(tile)")]


def test_a_refusal_knows_its_line_and_how_python_got_there() -> None:
    def helper(tile: Any) -> None:
        if tile[0, 0]:
            nisa.memset(tile, 1.0)

    def kernel(x: Any) -> None:
        helper(x[0:1, 0:1])

    problem = refused(kernel, counted())
    assert line(problem) == "if tile[0, 0]:"
    assert problem.span is not None
    assert [frame.what for frame in problem.span.chain] == ["kernel"]


def test_what_a_kernel_raises_passes_through() -> None:
    def kernel(x: Any) -> None:
        assert x.shape[0] == 128, "wanted 128 rows"

    with pytest.raises(AssertionError, match="wanted 128 rows"):
        nasm.nki.trace(kernel, counted())
    assert (doubled(counted()) == 2 * counted()).all()  # and leaves nothing behind


def test_a_call_outside_of_a_kernel_is_refused() -> None:
    with pytest.raises(Failure, match=r"nl\.ndarray outside of a kernel"):
        nl.ndarray((2, 2), dtype=nl.float32)


def test_a_run_that_does_not_end_raises() -> None:
    with pytest.raises(Failure):
        nasm.nki.run(doubled, counted(), max_cycles=1)
