"""What is called and no file has to declare: replays, templates, halves of registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from nasm.llk.numbers import integers
from nasm.llk.objects import Lambda, LoopTemplate, MaskTemplate

IGNORED: Final = ("static_assert", "LLK_ASSERT", "UNROLL", "mop_sync", "sync_regfile_write", "wait")
SAME: Final = ("to_underlying", "static_cast", "reinterpret_cast", "int", "bool")


class Instructions(Protocol):
    """What makes instructions."""

    def instruction(self, name: str, args: list[Any]) -> int:
        """The word that a macro makes, added to the program unless it is for a template."""


def _replay(kernel: Instructions, args: list[Any], execute: bool) -> int:
    integers("replay", args, 2)
    return kernel.instruction("TTI_REPLAY", [args[0], args[1], 0, 0])


def _replay_word(kernel: Instructions, args: list[Any], execute: bool) -> int:
    integers("replay_insn", args, 2)
    return kernel.instruction("TT_OP_REPLAY", [args[0], args[1], 0, 0])


def _record(kernel: Instructions, args: list[Any], execute: bool) -> int:
    integers("record", args, 2)
    return kernel.instruction("TTI_REPLAY", [args[0], args[1], int(execute), 1])


def _load(kernel: Instructions, args: list[Any], execute: bool) -> int:
    numbers = [a for a in args if not isinstance(a, Lambda)]
    integers("load_replay_buf", numbers, 2, 3)
    flag = int(numbers[2]) if len(numbers) > 2 else int(execute)
    kernel.instruction("TTI_REPLAY", [*numbers[:2], flag, 1])
    for one in args:
        if isinstance(one, Lambda):
            one.run([])
    return 0


def _half(high: int) -> Callable[[Instructions, list[Any], bool], int]:
    def half(kernel: Instructions, args: list[Any], execute: bool) -> int:
        integers("LO_16 or HI_16", args, 1)
        return 2 * int(args[0]) + high

    return half


def _extreme(of: Callable[[list[int]], int]) -> Callable[[Instructions, list[Any], bool], int]:
    def found(kernel: Instructions, args: list[Any], execute: bool) -> int:
        integers("min or max", args, 2)
        return of(args)

    return found


SPECIAL: Final[Mapping[str, Callable[[Instructions, list[Any], bool], int]]] = {
    "replay": _replay, "replay_insn": _replay_word, "record": _record, "load_replay_buf": _load,
    "LO_16": _half(0), "HI_16": _half(1), "min": _extreme(min),
    "max": _extreme(max),
}  # fmt: skip
TEMPLATES: Final[Mapping[str, Callable[..., Any]]] = {
    "ckernel_template": LoopTemplate.of, "ckernel_unpack_template": MaskTemplate.of,
}  # fmt: skip
