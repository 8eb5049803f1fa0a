"""Kernels of NKI, changed: refused at a line, or run as their calls mean one after the other."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import linecache
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np

import nasm
import nasm.nki
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.printing import text as printed
from nasm.machine.records import RunReport, Status
from nasm.nki import kernel as kernels
from nasm.nki.calling import IsaFunction
from nasm.nki.exceptions import telling
from nasm.nki.isa import FUNCTIONS
from nasm.nki.kernel import Traced
from nasm.nki.kernel_run import run
from nasm.nki.lowering import Lowering
from nasm.nki.tracing import Call, CoreTrace, Made, TracedLoop
from nasm.targets import TARGETS
from tests.fuzz import promises
from tests.fuzz.corpus import PROGRAMS
from tests.fuzz.finding import Found
from tests.fuzz.tracing.changes import mutated
from tests.fuzz.tracing.meaning import Fault, meant
from tests.fuzz.tracing.memory import KNOWN, Memory, Place, Unmodelled

FOLDER = Path(__file__).parent / "kernels"
RMSNORM = '# {"name": "rmsnorm", "arrays": [["float32", [256, 64]], ["float32", [1, 64]]]}\n'

LARGE = ("nki_matmul_fully_optimized_",)
"""Kernels that take too long."""

SDK = "NASM_FUZZ_SDK"
"""Names a checkout of AWS's SDK: its kernels are changed then, and not ours."""

CYCLES = 4_000_000
INSTRUCTIONS = 20_000
ELEMENTS = 1 << 21
"""What one array may have."""

UNWRITTEN, RACE = "E0501", "E0502"
NEVER = ("E0510", "E0503", "E0504", "E0507", "E0513", "E0517", "E0520", "E0540", "E0541", "E0543")
"""What is our doing if it is said of a kernel: waits and updates are not the kernel's."""

TWICE = "writes one place twice"
"""What a race is said to be that is the kernel's: it scatters to one row twice."""


class Uncalled(Exception):
    """No arrays to call a kernel with."""


class Recorded:
    """The calls of a kernel on each core, as they were before an engine was chosen."""

    def __init__(self) -> None:
        self.traces: list[CoreTrace] = []
        self.calls: list[list[Made]] = []
        self.open: list[Call] = []
        """Calls that leave it open whether they add to what is there."""
        self.placed: dict[Any, Place] = {}

    def take(self, trace: CoreTrace) -> None:
        """Keep what a trace has."""
        self.traces.append(trace)
        left = {id(call) for call in self.open}
        self.calls.append([_kept(call, left) for call in trace.made])
        for tensor in trace.builder.program.tensors.values():
            if tensor.partition is not None and tensor.offset is not None:
                self.placed.setdefault(tensor, (tensor.partition, tensor.offset))


def _kept(made: Made, left: set[int]) -> Made:
    if isinstance(made, TracedLoop):
        # A tile of the body is a new one in each round: what was found once holds for all.
        body = [_kept(each, set()) for each in made.body]
        return TracedLoop(made.counter, made.bound, made.step, body, made.span, made.chain)
    operands = {**made.operands, **({"accumulate": None} if id(made) in left else {})}
    return Call(made.row, operands, made.engine, made.span, made.chain)


@contextlib.contextmanager
def recording() -> Iterator[Recorded]:
    """Record what kernels are traced as, while it is so."""
    recorded = Recorded()

    class Recording(Lowering):
        def __init__(self, trace: CoreTrace, *given: Any) -> None:
            recorded.take(trace)
            super().__init__(trace, *given)

    matmul = FUNCTIONS["nc_matmul"]
    record = matmul.record

    def noted(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call | None:
        count = len(trace.open[-1])
        left = arguments["accumulate"] is None and not arguments["is_transpose"]
        made = record(trace, function, arguments)
        if left:
            new = trace.open[-1][count:]
            recorded.open += [c for c in new if isinstance(c, Call) and "moving" in c.operands]
        return made

    kernels.Lowering, before = Recording, kernels.Lowering  # type: ignore[misc]
    matmul.record = noted
    try:
        yield recorded
    finally:
        kernels.Lowering, matmul.record = before, record  # type: ignore[misc]


def texts() -> dict[str, str]:
    """Kernels by their names, the first line of each says what it is called with."""
    found = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.py"))}
    found["rmsnorm"] = RMSNORM + (PROGRAMS / "nki" / "rmsnorm.py").read_text()
    return found


def public() -> dict[str, str]:
    """The small kernels of a checkout of the SDK, if the variable says where one is."""
    root = os.environ.get(SDK)
    found = {}
    for name, case in cases().items() if root else ():
        path = Path(root or "") / case.file
        if path.exists() and case.stage == 1 and not case.long and case.kernel not in LARGE:
            found[name] = f"# {json.dumps({'case': name, 'arrays': []})}\n{path.read_text()}"
    return found


@functools.cache
def cases() -> dict[str, Any]:
    """Calls of public kernels by their names."""
    from tests.nki.published import sdk

    return {case.name: case for case in sdk.CASES}


class Kernels:
    """Texts of kernels."""

    name, suffix, each = "kernels", ".py", 1
    memory, seconds = 2 << 30, 30.0

    def __init__(self) -> None:
        self.texts = list(public().values() or texts().values())
        self.counts = {"refused": 0, "run": 0, "compared": 0, "contested": 0}
        self.unmodelled: dict[str, int] = {}

    def make(self, rng: Random) -> bytes:
        """A changed kernel."""
        return mutated(rng, rng.choice(self.texts)).encode()

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Lines."""
        yield data.splitlines(keepends=True)

    def check(self, data: bytes) -> None:
        """Trace it; what is not refused is run and compared."""
        source = data.decode()
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            try:
                with recording() as recorded, telling():
                    traced = trace(source, hoist=promises.chosen(data, 2))
                if len(traced.program) > INSTRUCTIONS:
                    return
                inputs = {name: array.copy() for name, array in traced.inputs.items()}
                made = run(traced, max_cycles=CYCLES)
                report = made.report
            except Uncalled:
                return
            except Failure as failure:
                self.counts["refused"] += 1
                promises.refused(failure)
                _placed(failure)
                return
            self.counts["run"] += 1
            promises.report(report, traced.program, promises.chosen(data, 8))
            said = "\n".join(map(str, (*report.hazards, *report.problems, *report.warnings)))
            outputs = dict(made.result.outputs)
            self._judge(recorded, traced, inputs, outputs, report, said)
            if promises.chosen(data, 8):
                _emitted(traced, inputs, report)

    def _judge(
        self,
        recorded: Recorded,
        traced: Traced,
        inputs: Mapping[str, Any],
        outputs: Mapping[str, Any],
        report: RunReport,
        said: str,
    ) -> None:
        every = (*report.hazards, *report.problems, *report.warnings)
        codes = {p.code for p in every}
        races = [p for p in every if p.code == RACE and TWICE not in p.message]
        for code in NEVER:
            if code in codes:
                raise Found("order", f"{code} of a kernel", said)
        cores = len(recorded.calls)
        if races and cores == 1:
            raise Found("order", "a race of one core", said)
        if report.status is not Status.FINISHED:
            return
        try:
            given = {traced.program.tensors[name]: array for name, array in inputs.items()}
            ways = [_memory(recorded, given, noise) for noise in (None, 1, 2)]
            other = _memory(recorded, given, None, backwards=True) if cores > 1 else ways[0]
        except Unmodelled as why:
            self.unmodelled[str(why)] = self.unmodelled.get(str(why), 0) + 1
            return
        except Fault:
            raise Found("hash", "an address outside in silence", said) from None
        whole = ways[0]
        if RACE not in codes and bool(whole.unwritten) != (UNWRITTEN in codes):
            what = "is said" if UNWRITTEN in codes else "is not said"
            raise Found("hash", f"a read of the unwritten {what}", f"{whole.unwritten}\n{said}")
        self.counts["compared"] += 1
        for name, output in outputs.items():
            tensor = traced.program.tensors[name]
            wanted, known = _held(whole, tensor)
            apart = _held(other, tensor)[0]
            contested = (apart != wanted) & known
            if contested.any():
                self.counts["contested"] += 1
                if RACE not in codes:
                    raise Found("hash", "cores that race in silence", f"{name}\n{said}")
                return
            noisy = [_held(way, tensor) for way in ways[1:]]
            for _, also in noisy:
                known = known & also
            _close(name, output, wanted, known, [x for x, _ in noisy], said)


def _memory(
    recorded: Recorded, inputs: Mapping[Any, Any], noise: int | None, backwards: bool = False
) -> Memory:
    made = None if noise is None else np.random.default_rng(noise)
    places = {tensor.index: place for tensor, place in recorded.placed.items()}
    return meant(recorded.calls, places, inputs, made, backwards)


def _held(memory: Memory, tensor: Any) -> tuple[Any, Any]:
    data, known = memory.cells.get(tensor.index) or (None, None)
    if data is None or known is None:
        return np.zeros(tensor.shape), np.zeros(tensor.shape, bool)
    x = data.view(tensor.dtype.numpy).reshape(tensor.shape)
    states = known.reshape(*tensor.shape, -1)
    with np.errstate(all="ignore"):
        return x.astype(np.float64), (states == KNOWN).all(axis=-1)


def _close(name: str, found: Any, wanted: Any, known: Any, noisy: list[Any], said: str) -> None:
    with np.errstate(all="ignore"):
        got = np.asarray(found).astype(np.float64).reshape(wanted.shape)
    finite = known & np.isfinite(wanted)
    if not finite.any():
        return
    off = sum(np.abs(np.where(finite, x - wanted, 0)) for x in noisy)
    top = np.abs(wanted[finite]).max()
    room = 1e-5 * top + 6 * off + 4 * off.mean() + 4e-6
    wrong = finite & ~(np.abs(got - wanted) <= room)
    if wrong.any():
        at = tuple(int(n) for n in np.argwhere(wrong)[0])
        details = f"{name}{list(at)}: {got[at]}, wanted {wanted[at]} +- {room[at]}; "
        raise Found("hash", "another value than the calls mean", f"{details}{wrong.sum()}\n{said}")


def _placed(failure: Failure) -> None:
    """What is refused of a kernel has a line, or more."""
    for problem in failure.problems:
        if problem.span is None:
            raise Found("diagnostic", f"{problem.code} without a line", str(problem))


def _emitted(traced: Traced, inputs: Mapping[str, Any], report: RunReport) -> None:
    """The text of a kernel is the same program."""
    text = printed(traced.program)
    try:
        again = assemble(Source("emitted.nasm", text), TARGETS)
    except Failure as failure:
        raise Found("hash", "a text that is refused", f"{failure}\n{text}") from None
    made = nasm.run(again, dict(inputs), max_cycles=CYCLES).report
    one, other = ((r.status, r.ticks, r.trace_hash, r.memory_hash) for r in (report, made))
    if one != other:
        raise Found("hash", "a text that runs otherwise", f"{one}\n{other}\n{text}")


def trace(source: str, hoist: bool = False) -> Traced:
    """The kernel of a text with arrays of its first line, as a program."""
    header, _, _ = source.partition("\n")
    try:
        given = json.loads(header.removeprefix("#"))
        arrays = [array(number, *each) for number, each in enumerate(given["arrays"])]
    except (ValueError, KeyError, TypeError):
        raise Uncalled from None
    name = f"kernel-{zlib.crc32(source.encode()):08x}.py"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    module = ModuleType("fuzzed")
    with nasm.nki.installed():
        exec(compile(source, name, "exec"), vars(module))
    case = cases().get(given.get("case", ""))
    more: dict[str, Any] = {}
    if case is not None:
        arrays, more = case.inputs(np.random.default_rng(1), module)
    made = getattr(module, case.kernel if case else given.get("name", "kernel"))
    target = given.get("target", case.target if case else "trn2")
    lnc = given.get("lnc", 1)
    return nasm.nki.trace(made, *arrays, lnc=lnc, target=target, hoist=hoist, **more)


def array(number: int, dtype: str, shape: list[int]) -> Any:
    """Values of an argument: small whole numbers and halves, more or less."""
    if np.prod(shape) > ELEMENTS:
        raise ValueError
    random = np.random.default_rng(number)
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype.removesuffix("_")))
    if kind.kind in "iub":
        return random.integers(0, 60, shape).astype(kind)
    return (random.integers(-400, 400, shape) / 128).astype(kind)
