"""The shell command ``neuron-nasm``.

This module imports nothing before it hears signals, so that a Ctrl-C in the first moments is
reported as any other; NumPy, Lark and Rich come with the verb that needs them, so that ``--help``
answers at once.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in nasm itself

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code and never raises for what a user wrote.

    Signals are heard until it returns. Without ``argv`` its arguments are those of the process,
    which is taken to end with it.
    """
    try:
        return _heard(argv)
    except KeyboardInterrupt as error:  # so early that no handler was installed
        return _heard(argv, error)


def _heard(argv: Sequence[str] | None, early: KeyboardInterrupt | None = None) -> int:
    from nasm.base import signals

    with signals.heard(last=argv is None) as stop:
        stop.shield()
        if early is not None:
            stop.tell(signals.StopSignal.of(early), False)
        code = _done(argv)
    if argv is None:
        import gc

        gc.freeze()  # Python would look at all there is once more before it leaves: seconds
    return code


def _done(argv: Sequence[str] | None) -> int:
    from nasm.base import docstrings

    if docstrings.stripped():  # without them much of nasm cannot even be imported
        import sys

        from nasm.apps.cli import streams

        streams.prepare()
        streams.write(sys.stderr, f"neuron-nasm: {docstrings.NEEDED}\n")
        return 2
    from nasm.apps.cli import command

    return command.run(argv)
