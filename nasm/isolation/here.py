"""The work of a child process done in this one, for a browser, where there are no processes.

It answers as a process does, and is protected from nothing: a kernel is Python that may do what the
page may do. What does not end is not ended.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout

from nasm.base import host_memory
from nasm.isolation.exchange import Ended, done, marked
from nasm.isolation.limits import Limits
from nasm.isolation.work import TraceWork, Work
from nasm.nki.exceptions import foreign
from nasm.nki.kernel_argument import split
from nasm.nki.loading import place


def run(
    work: Sequence[Work],
    limits: Limits,
    until: float,
    folder: str,
    word: bytes,
    cancelled: Callable[[], bool],
) -> Ended:
    """Do some work; of the limits those of memory and of output hold.

    A file that a kernel imports is read again the next time.
    """
    ended, first = Ended(), work[0]
    printed = {name: io.StringIO() for name in ended.printed}
    with (
        redirect_stdout(printed["stdout"]),
        redirect_stderr(printed["stderr"]),
        host_memory.limited(limits.memory),
        _forgotten(first.kernel) if isinstance(first, TraceWork) else nullcontext(),
    ):
        for each in work:
            ended.answers += marked(word, *done(each))
    for name, stream in printed.items():
        text = stream.getvalue().encode("utf-8", "replace")
        ended.printed[name] += text[: limits.output]
        ended.left_out[name] += len(text[limits.output :])
    return ended


@contextmanager
def _forgotten(kernel: str) -> Iterator[None]:
    """Afterwards no module is of the kernel's folder, and no other is looked for there."""
    named = split(kernel)
    assert named is not None
    folder = os.path.join(place(named[0])[0], "")
    modules, path = dict(sys.modules), sys.path[:]
    try:
        yield
    finally:
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None) or ""
            if modules.get(name) is module or not file.startswith(folder) or foreign(file):
                continue
            del sys.modules[name]
            if name in modules:
                sys.modules[name] = modules[name]
