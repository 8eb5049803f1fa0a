"""Where a statement is executed: the names of a call, and the places that errors get."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass, field
from nasm.llk.headers import LlkHeader, problem


@dataclass(slots=True, eq=False)
class LlkScope:
    """Names of a call: its variables, the file that it is in, and where its body begins there."""

    header: LlkHeader
    start: int
    names: MutableMapping[str, Any] = field(default_factory=dict)
    depth: int = 0

    def at(self, node: Any, do: Callable[[], Any]) -> Any:
        """Do something for a node, whose place an error gets."""
        try:
            return do()
        except Refused as refused:
            raise self.refused(node, refused.message, refused.hint) from None

    def refused(self, node: Any, message: str, hint: str = "") -> Failure:
        """A problem of a node, at its place in the file."""
        meta = getattr(node, "meta", None)
        known = meta is not None and not meta.empty
        start = self.start + (getattr(meta, "start_pos", 0) if known else 0)
        stop = self.start + getattr(meta, "end_pos", 1) if known else start + 1
        return Failure(problem(self.header, start, stop, message, hint))
