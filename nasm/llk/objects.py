"""What bodies of functions make besides numbers: templates of expanders, modifiers, lambdas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from nasm.base.problems import Refused
from nasm.base.records import dataclass, field
from nasm.llk.numbers import integers
from nasm.llk.output import LlkOutput

NOTHING: Final = 0x02000000
"""The word of no instruction in a template of two loops."""


@dataclass(slots=True, eq=False)
class LoopTemplate:
    """``ckernel_template``: two loops."""

    output: LlkOutput
    words: list[int]

    @classmethod
    def of(cls, output: LlkOutput, *args: int) -> LoopTemplate:
        """As it is constructed, with one instruction of the inner loop or two."""
        integers("ckernel_template", args, 3, 4)
        outer, inner, *ops = args
        first, second = (ops[0], ops[1] if len(ops) > 1 else NOTHING)
        last = ops[-1]
        words = [outer, inner, NOTHING, NOTHING, NOTHING, first, second, last, last]
        return cls(output, words)

    def call(self, name: str, args: list[int]) -> None:
        """A method of it."""
        w = self.words
        integers(name, args, 2 if name == "set_end_ops" else 1 if name.startswith("set_") else 0)
        if name in _SET:
            w[_SET[name]] = args[0]
        elif name == "set_end_ops":
            w[3], w[4] = args
        elif name == "set_end_op":
            w[3], w[4] = args[0], NOTHING
        elif name in ("program", "program_and_run"):
            self.output.template(1, w)
        elif name != "run":
            raise Refused("E0601", f"a template has no '{name}' that is read here")
        if name in ("run", "program_and_run"):
            self.output.word(0x01800000)


_SET: Final = {
    "set_start_op": 2, "set_loop_op0": 5, "set_loop_op1": 6, "set_last_outer_loop_instr": 7,
    "set_last_inner_loop_instr": 8,
}  # fmt: skip


@dataclass(slots=True, eq=False)
class MaskTemplate:
    """``ckernel_unpack_template``: a round for each bit of a mask."""

    output: LlkOutput
    words: list[int]

    @classmethod
    def of(cls, output: LlkOutput, *args: int) -> MaskTemplate:
        """As it is constructed: with B, with A1 to A3, A0 to A3, SkipA, B, SkipB."""
        integers("ckernel_unpack_template", args, 9)
        has_b, has_more, a0, a1, a2, a3, skip_a, b, skip_b = args
        return cls(output, [int(bool(has_b)) | has_more << 1, b, a0, a1, a2, a3, skip_a, skip_b])

    def call(self, name: str, args: list[int]) -> None:
        """A method of it."""
        integers(name, args, *((0,) if name == "program" else (1, 2)))
        if name in ("program", "program_and_run"):
            self.output.template(0, self.words)
        elif name != "run":
            raise Refused("E0601", f"a template has no '{name}' that is read here")
        if name == "program":
            return
        mask = args[1] if len(args) > 1 else 0
        if len(args) > 1 or name == "program_and_run":
            self.output.word(0x03000000 | mask >> 16)
        self.output.word(0x01000000 | (args[0] - 1) << 16 | mask & 0xFFFF)


@dataclass(slots=True, eq=False)
class Modifier:
    """``addr_mod_t`` or ``addr_mod_pack_t``: fields by name."""

    output: LlkOutput
    kind: str
    fields: Mapping[str, Any]

    def call(self, name: str, args: list[int]) -> None:
        """``set``."""
        if name != "set":
            raise Refused("E0601", f"{self.kind} has no '{name}' that is read here")
        integers(f"{self.kind}::set", args, 1)
        parts = MODIFIERS[self.kind]
        given = {}
        for part, inner in self.fields.items():
            if not isinstance(inner, Mapping):
                raise Refused("E0601", f"'{part}' of {self.kind} takes fields in braces")
            integers(f"'{part}' of {self.kind}", [*inner.values()], *range(len(_ENDS) + 1))
            for end, value in inner.items():
                if part not in parts or end not in _ENDS:
                    message = f"{self.kind} has no field '{part}.{end}' that is read here"
                    raise Refused("E0601", message)
                given[parts[part] + _ENDS[end]] = value & _MASKS.get(part, 0x3F)
        if self.kind == PACKED:
            self.output.pack_modifier(args[0], given)
        else:
            self.output.modifier(args[0], given)


PACKED: Final = "addr_mod_pack_t"
MODIFIERS: Final[Mapping[str, Mapping[str, str]]] = {
    "addr_mod_t": {
        "srca": "SrcA", "srcb": "SrcB", "dest": "Dest", "fidelity": "Fidelity", "bias": "Bias",
    },
    PACKED: {"y_src": "Ysrc", "y_dst": "Ydst", "z_src": "Zsrc", "z_dst": "Zdst"},
}  # fmt: skip
"""Types of address modifiers: what settings call their parts."""
_ENDS: Final = {"incr": "Incr", "clr": "Clear", "cr": "CR", "c_to_cr": "CToCR"}
_MASKS: Final = {"dest": 0x3FF, "y_src": 0xF, "y_dst": 0xF, "z_src": 1, "z_dst": 1}
"""The bits that a part keeps of its numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Lambda:
    """A lambda: what runs its body with arguments."""

    run: Callable[[list[Any]], Any] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class LlkObject:
    """An object of a type whose fields are declared."""

    values: Mapping[str, Any]
