"""What is called and no file has to declare: replays, templates, halves of registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from nasm.llk.objects import Lambda, LoopTemplate, MaskTemplate

IGNORED: Final = ("static_assert", "LLK_ASSERT", "UNROLL", "mop_sync", "sync_regfile_write", "wait")
SAME: Final = ("to_underlying", "static_cast", "reinterpret_cast", "int", "bool")


class Instructions(Protocol):
    """What makes instructions."""

    def instruction(self, name: str, args: list[Any]) -> int:
        """The word that a macro makes, added to the program unless it is for a template."""


def _replay(kernel: Instructions, args: list[Any], execute: bool) -> int:
    return kernel.instruction("TTI_REPLAY", [args[0], args[1], 0, 0])


def _replay_word(kernel: Instructions, args: list[Any], execute: bool) -> int:
    return kernel.instruction("TT_OP_REPLAY", [args[0], args[1], 0, 0])


def _record(kernel: Instructions, args: list[Any], execute: bool) -> int:
    return kernel.instruction("TTI_REPLAY", [args[0], args[1], int(execute), 1])


def _load(kernel: Instructions, args: list[Any], execute: bool) -> int:
    numbers = [a for a in args if not isinstance(a, Lambda)]
    flag = int(numbers[2]) if len(numbers) > 2 else int(execute)
    kernel.instruction("TTI_REPLAY", [*numbers[:2], flag, 1])
    for one in args:
        if isinstance(one, Lambda):
            one.run([])
    return 0


def _half(high: int) -> Callable[[Instructions, list[Any], bool], int]:
    return lambda kernel, args, execute: 2 * int(args[0]) + high


SPECIAL: Final[Mapping[str, Callable[[Instructions, list[Any], bool], int]]] = {
    "replay": _replay, "replay_insn": _replay_word, "record": _record, "load_replay_buf": _load,
    "LO_16": _half(0), "HI_16": _half(1), "min": lambda k, a, e: min(a),
    "max": lambda k, a, e: max(a),
}  # fmt: skip
TEMPLATES: Final[Mapping[str, Callable[..., Any]]] = {
    "ckernel_template": LoopTemplate.of, "ckernel_unpack_template": MaskTemplate.of,
}  # fmt: skip
