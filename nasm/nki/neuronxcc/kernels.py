"""``neuronxcc.nki``: kernels whose calls return tiles, and the ways to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import update_wrapper
from itertools import product
from typing import Any

from nasm.nki.arguments import mapped
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.jit import KeepsRun, Kernel
from nasm.nki.names import HBM, MemoryRegion
from nasm.nki.neuronxcc.carried import refuse_carried
from nasm.nki.neuronxcc.results import read
from nasm.nki.neuronxcc.running import Running, running, traced
from nasm.nki.neuronxcc.saving import profiled, saving
from nasm.nki.neuronxcc.tensor import TileTensor, of
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct
from nasm.nki.tracing import current, tracing

MODES = ("auto", "jax", "torchxla", "baremetal", "benchmark", "profile", "simulation", "trace")
"""What ``nki.jit(mode=)`` takes: here all of them run simulated."""


class Cores:
    """``nl.nc(2)``: an axis of a grid along which instances run on different cores."""

    def __init__(self, count: Any) -> None:
        self.count = whole_number(count, "the number of nl.nc")
        if self.count not in (1, 2):
            refuse(f"nl.nc({self.count}): wanted 1 core, or 2 that share their HBM")

    def __repr__(self) -> str:
        return f"nl.nc({self.count})"

    def __mul__(self, other: Any) -> GridAxis:
        return GridAxis(self, other)

    def __rmul__(self, other: Any) -> GridAxis:
        return GridAxis(other, self)


class GridAxis:
    """``nl.spmd_dim(nl.nc(2), 2)``: an axis of a grid of which the cores are a part."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts
        self.sizes = [p.count if isinstance(p, Cores) else whole_number(p, "a size") for p in parts]
        if sum(isinstance(p, Cores) for p in parts) > 1 or len(parts) > 2:
            refuse("nl.spmd_dim of several cores", "nl.spmd_dim(nl.nc(2), n) is two cores by n")

    def __repr__(self) -> str:
        parts = ", ".join(map(repr, self.parts))
        return parts if len(self.parts) == 1 else f"nl.spmd_dim({parts})"

    def places(self, core: int) -> Iterator[int]:
        """The places along the axis that a core runs."""
        for at in product(*map(range, self.sizes)):
            mine = [n for n, p in zip(at, self.parts, strict=True) if isinstance(p, Cores)]
            if not mine or mine[0] == core:
                found = 0
                for n, size in zip(at, self.sizes, strict=True):
                    found = found * size + n
                yield found


class TileKernel(Kernel):
    """A kernel of the dialect, launched on a grid of instances.

    As AWS's compiler of the dialect does, what it has computed before is read again, unless it has
    ``skip_middle_end_transformations``.
    """

    spills = True

    def __init__(
        self, function: Callable[..., Any], grid: tuple[GridAxis, ...] = (), **options: Any
    ) -> None:
        cores = [
            n
            for axis in grid
            for n, p in zip(axis.sizes, axis.parts, strict=True)
            if isinstance(p, Cores)
        ]
        if len(cores) > 1:
            refuse(
                f"a kernel on a grid of {', '.join(map(repr, grid))}: nl.nc on {len(cores)} axes",
                "the instances of one axis are spread over cores",
            )
        super().__init__(function, cores[0] if cores else 1)
        self.kernel, self.grid, self.options = function, grid, options
        self.function = _instances(function, grid)
        self.target = options.get("platform_target")
        self.hoists = not getattr(function, "as_written", False)

    def __getitem__(self, grid: Any) -> TileKernel:
        """The same on a grid: a size for each axis, of which cores may be a part."""
        axes = grid if isinstance(grid, tuple) else (grid,)
        spread = tuple(a if isinstance(a, GridAxis) else GridAxis(a) for a in axes)
        if any(size < 1 for axis in spread for size in axis.sizes):
            refuse(f"a kernel on a grid of {grid!r}: wanted sizes of at least 1")
        return type(self)(self.kernel, spread, **self.options)

    def on(self, cores: int) -> TileKernel:
        """The same on so many cores."""
        return self if cores == self.cores else self[GridAxis(Cores(cores))]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it, or be a part of the kernel that calls it."""
        if tracing() is not None:
            if running() is None:
                refuse(
                    f"{self!r} is of neuronxcc.nki, and called by a kernel of nki",
                    "a kernel is of one dialect: calls return tiles in the one, and write dst in "
                    "the other",
                )
            return self.kernel(*args, **kwargs)
        return super().__call__(*args, **kwargs)

    def recording(self) -> KeepsRun | None:
        """What saves its trace, if that is asked for."""
        return saving(self.options)

    def __get__(self, instance: object, owner: type | None = None) -> Kernel:
        """As a method it is called with its object in front."""
        bind = getattr(self.kernel, "__get__", None)
        return (
            self if bind is None else type(self)(bind(instance, owner), self.grid, **self.options)
        )


def _instances(function: Callable[..., Any], grid: tuple[GridAxis, ...]) -> Callable[..., Any]:
    """A function that runs all instances of one core, one after the other."""

    def run(*args: Any, **kwargs: Any) -> Any:
        trace = current("a kernel")
        args, kwargs = _given(list(args)), _given(kwargs)
        sizes = tuple(_product(axis.sizes) for axis in grid)
        places = list(product(*(axis.places(trace.core) for axis in grid)))
        first = Running(sizes, places[0])
        with traced(first):
            result = _returned(function(*args, **kwargs))
        for place in places[1:]:
            with traced(Running(sizes, place, first=first)):
                function(*args, **kwargs)
        refuse_carried(trace)
        return result

    update_wrapper(run, function)
    return run


def _product(sizes: Sequence[int]) -> int:
    made = 1
    for size in sizes:
        made *= size
    return made


def _given(value: Any) -> Any:
    """Arguments with tensors of the dialect in the place of today's."""
    if isinstance(value, NkiTensor):
        return of(value)
    return mapped(value, "", lambda part, _: _given(part))


def _returned(value: Any) -> Any:
    """What a kernel returns with today's tensors; a tile on chip is stored first."""
    if isinstance(value, TileTensor):
        if not value.on_chip:
            return read(value)
        made = read(value)
        buffer = MemoryRegion.shared_hbm if current("a kernel").cores > 1 else HBM
        whole = current("a kernel").tensor(made.shape, made.dtype, buffer, made.name)
        if made.buffer is MemoryRegion.psum:
            between = current("a kernel").tensor(
                made.shape, made.dtype, MemoryRegion.sbuf, made.name
            )
            instruct("tensor_copy", dst=between, src=made)
            made = between
        instruct("dma_copy", dst=whole, src=made)
        return whole
    return mapped(value, "", lambda part, _: _returned(part))


# ---------------------------------------------------------------- running


def _options(what: str, given: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    for word in given:
        if word not in known:
            raise TypeError(f"{what}() got an unexpected keyword argument '{word}'")
    return {word: value for word, value in given.items() if word in KEPT and value}


COMMON = (
    "mode",
    "platform_target",
    "debug_kernel",
    "show_compiler_tb",
    "experimental_flags",
    "additional_compile_opt",
    "artifacts_dir",
    "kernel_return",
    "grid",
)
SAVING = (*COMMON, "save_neff_name", "save_trace_name", "warmup", "iters", "device_count")
PROFILING = ("working_directory", "overwrite", "profile_nth", "num_execs")
KEPT = ("platform_target", "save_neff_name", "save_trace_name", *PROFILING)
"""Options that change what a run does: the others say something to AWS's compiler."""


def kernel_of(function: Any, kind: type[TileKernel] = TileKernel, **options: Any) -> TileKernel:
    """A kernel of a function, or of a kernel with other options."""
    if isinstance(function, TileKernel):
        return kind(function.kernel, function.grid, **{**function.options, **options})
    return kind(function, **options)


def jit(func: Any = None, mode: str = "auto", **options: Any) -> Any:
    """A kernel of a function; every mode runs it simulated."""
    if mode not in MODES:
        refuse(f"nki.jit(mode={mode!r}): wanted one of {', '.join(MODES)}")
    if mode in ("benchmark", "profile"):
        return (benchmark if mode == "benchmark" else profile)(func, **options)
    kept = _options("jit", options, SAVING)
    return kernel_of(func, **kept) if func is not None else lambda f: kernel_of(f, **kept)


def trace(func: Any = None, **options: Any) -> Any:
    """A kernel of a function that writes its results into its arguments."""
    return jit(func, **options)


def baremetal(kernel: Any = None, **options: Any) -> Any:
    """A kernel that runs when it is called."""
    return jit(kernel, **options)


def simulate_kernel(kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """What a kernel returns; arguments that it writes are changed."""
    return kernel_of(kernel)(*args, **kwargs)


class Latency:
    """How long a run took on the simulated core: every run takes as long."""

    def __init__(self, microseconds: float) -> None:
        self.microseconds = microseconds

    def get_latency_percentile(self, percentile: Any) -> float:
        """The microseconds within which so many percent of the runs ended."""
        if not isinstance(percentile, int | float) or not 0 <= percentile <= 100:
            refuse(f"get_latency_percentile({percentile!r}): wanted 0 to 100")
        return self.microseconds


class BenchmarkResult:
    """What ``benchmark_result`` of a kernel is once it was called."""

    def __init__(self, microseconds: float) -> None:
        self.nc_latency = Latency(microseconds)


class BenchmarkedKernel(TileKernel):
    """A kernel that keeps how long it took, and computes nothing: its results are not asked for."""

    benchmark_result: BenchmarkResult | None = None
    values = False

    def ran(self, microseconds: float) -> None:
        """Keep the time of a run."""
        self.benchmark_result = BenchmarkResult(microseconds)


def benchmark(kernel: Any = None, **options: Any) -> Any:
    """A kernel that keeps how long it took, in ``benchmark_result``."""
    kept = _options("benchmark", options, SAVING)

    def made(function: Any) -> TileKernel:
        return kernel_of(function, BenchmarkedKernel, **kept)

    return made if kernel is None else made(kernel)


def profile(func: Any = None, **options: Any) -> Any:
    """A kernel that is run to be profiled, and saves its trace into ``working_directory``."""
    kept = profiled(_options("profile", options, (*SAVING, *PROFILING)))

    def made(function: Any) -> TileKernel:
        return kernel_of(function, BenchmarkedKernel, **kept)

    return made if func is None else made(func)
