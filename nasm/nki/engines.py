"""Which engine executes a call that names none, and which queue issues a transfer.

What AWS's compiler chooses is not published; this is a policy of ours.

An instruction goes to the first engine of its function's list, PREFERRED, that may execute it with
these operands: what a rule refuses or warns of there goes elsewhere. Of BALANCED functions the
first two may take it, and the one gets it that has been given less to do so far, by the costs of
the rows; nothing else of the choice follows from costs. 32-bit integers are combined by GpSimd,
which does that exactly, and are not copied by Scalar.

A transfer whose addresses are known gets descriptors that are written before the run: its queue
just starts it. Who does is the switch ``dma`` (:data:`DMA`): what comes from HBM is started by one
engine, and what has to wait for results of the kernel, from on-chip memory or from a tensor in HBM
that the kernel has written, by another, so that it does not hold the loads back (``split``), or by
the same (``sync``). With ``hardware`` the hardware makes its descriptors where it can. With an
address in a register or in a tile of one element the hardware makes the descriptors where it can
(v3, v4; no conversion), else GpSimd does; rows that a tile names are GpSimd's. Each engine has a
ring of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nasm.base.problems import Refused, Severity
from nasm.isa.generation import Generation
from nasm.isa.instruction import InstructionContext, Row
from nasm.isa.list_kinds import views
from nasm.isa.target import Target, rules_of
from nasm.program.accepted_operands import Key, key_of
from nasm.program.shapes import Shapes, signature
from nasm.views.view import Reg, View

PREFERRED: dict[str, tuple[str, ...]] = {
    "memset": ("gpsimd", "vector"),
    "tensor_copy": ("vector", "scalar", "gpsimd"),
    "tensor_tensor": ("vector", "gpsimd"),
    "tensor_scalar": ("vector", "gpsimd", "scalar"),
    "tensor_reduce": ("vector",),
    "register_store": ("sync",),
    "sendrecv": ("gpsimd",),
}
"""The engines of a function that leaves them to us, the likeliest first; others go by their row."""

BALANCED = ("memset", "tensor_copy")
"""Functions of which the engine with the least to do gets the next."""

SHARING = frozenset(engine for name in BALANCED for engine in PREFERRED[name])
"""The engines of these functions: what they are given to do counts."""

DMA: dict[str, tuple[str, str, bool]] = {
    "split": ("sync", "gpsimd", False),
    "sync": ("sync", "sync", False),
    "hardware": ("sync", "gpsimd", True),
}
"""Who starts transfers that need no result, and those that do, by the policy's name, and whether
the hardware makes descriptors even where addresses are known."""

USUAL = "split"

HARDWARE = {"sync": "sync", "gpsimd": "scalar"}
"""Who asks the hardware for descriptors in the place of those that start transfers."""

WORDS = ("int32", "uint32")


class Engines:
    """Chooses engines for the calls of one core, in their order."""

    def __init__(self, target: Target, generation: Generation, dma: str = USUAL) -> None:
        self.target, self.generation = target, generation
        self.loads, self.stores, self.hardware = DMA[dma]
        self.busy = {engine.name: 0 for engine in generation.engines}
        self.rings = {engine.name: n for n, engine in enumerate(generation.engines)}
        self._shapes = Shapes(generation)
        self._able: dict[tuple[Any, ...], dict[str, int]] = {}
        self._given: dict[Key, dict[str, int]] = {}
        self._have: dict[Row, tuple[str, ...]] = {}
        self._made: set[int] = set()

    # -- instructions

    def choose(self, row: Row, operands: Mapping[str, Any], asked: str = "") -> str:
        """The engine for an instruction: the one that the call names, else the one to take it."""
        have = self._those_with(row)
        if asked and asked not in have:
            return asked
        if len(have) == 1 and have[0] not in SHARING:
            return have[0]
        able = self._able_of(row, operands, asked, have)
        if not able:  # a rule refuses it everywhere, or no engine has it: said where it is made
            return asked or (have or row.engines)[0]
        chosen = next(iter(able))
        if len(able) > 1 and function(row) in BALANCED:
            chosen = min(list(able)[:2], key=lambda e: self.busy[e])
        self.busy[chosen] += able[chosen]
        return chosen

    def _those_with(self, row: Row) -> tuple[str, ...]:
        """The engines that have an instruction."""
        found = self._have.get(row)
        if found is None:
            found = self._have[row] = self.target.engines(row, self.generation)
        return found

    def cost(self, row: Row, operands: Mapping[str, Any], engine: str) -> tuple[int, int]:
        """For how long an instruction keeps its engine, and until its results are there: ticks."""
        cost = self._shapes.of(row, accepted(row, operands), engine).cost
        cycle = self.generation.engine(engine).cycle
        return max(cost.interval, cost.issue) * cycle, cost.latency * cycle

    def earliest(self, forms: Sequence[tuple[Row, Mapping[str, Any]]]) -> tuple[int, str] | None:
        """Which of some calls that compute the same is done first, and on which engine.

        Each goes to one of the first two engines that may take it if its function is balanced, else
        to the first one.
        """
        found: list[tuple[int, int, str]] = []
        for number, (row, operands) in enumerate(forms):
            have = self._those_with(row)
            able = self._able_of(row, operands, "", have)
            for engine in list(able)[: 2 if function(row) in BALANCED else 1]:
                found.append((self.busy[engine] + able[engine], number, engine))
        if not found:
            return None
        done, number, engine = min(found)
        self.busy[engine] = done
        return number, engine

    def best(
        self, row: Row, operands: Mapping[str, Any], asked: str
    ) -> tuple[str, Severity | None] | None:
        """The likeliest engine for an instruction, and what it breaks there; None without one."""
        have = self._those_with(row)
        if asked and asked not in have:
            return None
        try:
            values = accepted(row, operands)
        except Refused:
            return None
        found = next(iter(self._that_may(row, values, asked, have)), None)
        return None if found is None else (found, self.broken(row, values, found))

    def _able_of(
        self, row: Row, operands: Mapping[str, Any], asked: str, have: tuple[str, ...]
    ) -> dict[str, int]:
        """The engines that may execute it as it is given, accepted once for each such call."""
        given = key_of(row, asked, None, operands)
        able = None if given is None else self._given.get(given[0])
        if able is None:
            able = self._that_may(row, accepted(row, operands), asked, have)
            if given is not None:
                self._given[given[0]] = able
        return able

    def _that_may(
        self, row: Row, values: tuple[object, ...], asked: str, have: tuple[str, ...]
    ) -> dict[str, int]:
        """The engines that may execute it, the likeliest first, with how long they take."""
        key = signature(row, asked, tuple(0.0 if type(v) is float else v for v in values))
        able = self._able.get(key)
        if able is None:
            name = function(row)
            wanted = [e for e in _preferred(name, values, have) if e in have] or list(have)
            able = self._able[key] = self._costs(row, values, [asked] if asked else wanted)
        return able

    def _costs(self, row: Row, values: tuple[object, ...], wanted: Sequence[str]) -> dict[str, int]:
        """The engines that may execute it, with how long they take; those not warned of, if any."""
        broken = {engine: self.broken(row, values, engine) for engine in wanted}
        able = [e for e, worst in broken.items() if worst is None]
        able = able or [e for e, worst in broken.items() if worst is not Severity.ERROR]
        return {
            engine: self._shapes.of(row, values, engine).cost.interval
            * self.generation.engine(engine).cycle
            for engine in able
        }

    def broken(self, row: Row, values: tuple[object, ...], engine: str) -> Severity | None:
        """How bad what an instruction breaks on an engine is; None if it keeps all rules."""
        context = InstructionContext.of(row, values, engine, self.generation)
        found = None
        for rule in rules_of(self.target, row, bool(context.addressed)):
            if rule.severity is Severity.NOTE or (found and rule.severity is not Severity.ERROR):
                continue
            if rule.check(context) is not None:
                found = rule.severity
                if found is Severity.ERROR:
                    break
        return found

    # -- transfers

    def issue(self, row: Row, operands: dict[str, Any], asked: str) -> str:
        """The engine that starts a transfer; who makes its descriptors, and its ring, are set.

        Raises Refused.
        """
        accepted(row, operands)
        dst = operands["dst"]
        sources = views(operands["src"] if "src" in operands else tuple(operands["srcs"]))
        late = any(v.tensor.memory.partitions or v.tensor.index in self._made for v in sources)
        if not dst.tensor.memory.partitions:
            self._made.add(dst.tensor.index)
        engine, mode = self._starts(row, operands, (dst, *sources), late, asked)
        if mode and "dge_mode" in row.position:
            operands["dge_mode"] = mode
        if "queue" in row.position:
            operands.setdefault("queue", self.rings[engine])
        return engine

    def _starts(
        self, row: Row, operands: dict[str, Any], touched: tuple[View, ...], late: bool, asked: str
    ) -> tuple[str, str]:
        usual = self.stores if late else self.loads
        mode = operands.get("dge_mode", "")
        if asked:
            return asked, mode
        if mode:
            if mode == "none":
                return usual, mode
            return ("gpsimd" if mode == "swdge" else HARDWARE[usual]), mode
        if any(view.gathers for view in touched):
            return "gpsimd", "swdge"
        known = not any(view.dynamic or view.offsets is not None for view in touched)
        if known and not self.hardware:
            return usual, "none"
        able = (HARDWARE[usual], "hwdge")
        values = (
            accepted(row, {**operands, "dge_mode": able[1]}) if "dge_mode" in row.position else ()
        )
        if values and self.broken(row, values, able[0]) is not Severity.ERROR:
            return able
        return (usual, "none") if known else ("gpsimd", "swdge")


def function(row: Row) -> str:
    """The function of nki.isa that a row is first named for."""
    return next(iter(row.vendor.get("NKI", ())), "").rpartition(".")[2]


def accepted(row: Row, operands: Mapping[str, Any]) -> tuple[object, ...]:
    """Operands in the row's order, as the machine uses them; raises Refused."""
    values = list(row.defaults)
    position = row.position
    for name, value in operands.items():
        at = position[name]
        if type(value) is Reg:  # by its number in the trace
            row.operands[at].kind.accept(Reg(0))
            values[at] = value
        elif value is not values[at]:
            values[at] = row.operands[at].kind.accept(value)
    return tuple(values)


def _preferred(name: str, values: Sequence[object], have: tuple[str, ...]) -> tuple[str, ...]:
    """The engines of a function, the likeliest first, for operands of these dtypes."""
    found = PREFERRED.get(name, have)
    dtypes = {value.dtype.name for value in values if type(value) is View}
    if name == "tensor_tensor" and dtypes <= set(WORDS):
        return tuple(reversed(found))
    if name == "tensor_copy" and dtypes & set(WORDS):
        return tuple(engine for engine in found if engine != "scalar")
    return found
