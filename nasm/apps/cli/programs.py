"""Programs that are not run: texts assembled, objects loaded, and kernels traced."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO, cast

from nasm.apps.cli import arrays, files, program_names, results
from nasm.apps.cli.arguments import Wrong
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Problem, Refused
from nasm.language.objects import Loaded
from nasm.runs.settings import RunSettings

if TYPE_CHECKING:
    from nasm.debugger.session import Session
    from nasm.isa.timing import Timing, TimingGiven
    from nasm.nki.kernel import Traced
    from nasm.program.program import Program


def allowed(args: argparse.Namespace) -> Allowed:
    """The files that a program may name; raises Failure."""
    return Allowed.of(args.files, args.include)


def settings(args: argparse.Namespace, **others: Any) -> RunSettings:
    """What the options of a verb set, and ``others`` in addition; raises Failure.

    A number below 0 is refused by its option.
    """
    given = {name: getattr(args, name) for name in _SET_BY_OPTIONS if hasattr(args, name)}
    if given.get("values", True) is None:  # neither --values nor --no-values
        del given["values"]
    for name in ("defines", "options"):
        given[name] = dict(getattr(args, name, ()))
    if hasattr(args, "python"):
        given["python"] = program_names.python(args)
    return RunSettings(**(given | others))


_SET_BY_OPTIONS = (
    "target", "timing", "files", "include", "autosync", "values", "strict", "allow", "checked",
    "max_cycles", "max_instructions", "ranks", "topology",
)  # fmt: skip


def assembled(
    args: argparse.Namespace, path: str, timing: Timing | None = None, *, rules: bool = True
) -> Loaded:
    """A text assembled, an object loaded, or a kernel traced; raises Failure.

    Of a kernel inputs begin with what ``--in`` makes; what files hold is given when it runs.
    Without ``rules`` those of an object's instructions are not checked again.
    """
    if program_names.kernel(path):
        made = traced(args, args.timing)
        begin(made, dict(args.inputs))
        return Loaded(made.program, None)
    chosen = settings(args, **({} if timing is None else {"timing": timing}))
    return chosen.assembled(files.program(path), rules=rules)


def called(args: argparse.Namespace) -> tuple[Program, dict[str, Any]]:
    """A kernel as a program, with what its inputs begin with; raises Failure."""
    made = traced(args, args.timing)
    return made.program, dict(made.inputs)


def session(args: argparse.Namespace) -> Session:
    """A session of the program or kernel that the command line names; raises Failure."""
    from nasm.debugger.session import Session

    if program_names.kernel(args.program):
        program, inputs = called(args)
        made = Session(program, inputs, settings=settings(args).of_assembled(files=True))
        made.execution.called = args.program
        return made
    given = files.program(args.program)
    return Session.load(given, arrays.inputs(args), settings=settings(args))


def traced(args: argparse.Namespace, timing: TimingGiven | None = None) -> Traced:
    """The kernel that the command line names, as a program; raises Failure."""
    from nasm.nki.engines import USUAL
    from nasm.nki.loading import load

    if args.defines:
        raise Wrong("-D sets a constant of a text: an argument of a kernel is --arg NAME=VALUE")
    given, ranks = arrays_by_rank(args), getattr(args, "ranks", None)
    with prints_aside(args):
        return load(
            args.program,
            given,
            words(args, given),
            lnc=args.lnc,
            ranks=ranks,
            target=args.target,
            dma=args.dma or USUAL,
            hoist=args.hoist,
            overlap=args.overlap,
            options=dict(args.options),
            timing=timing,
            others=_in_folder(getattr(args, "in_dir", None)),
            python=program_names.python(args),
        )


def arrays_by_rank(args: argparse.Namespace) -> dict[str, Any]:
    """The arrays of --in as a kernel takes them: of a name with {rank} in it one for each rank."""
    ranks: int = getattr(args, "ranks", None) or 0
    each = [one for one in args.inputs if ranks and "{rank}" in one[1]]
    found: dict[str, Any] = arrays.read(one for one in args.inputs if one not in each)
    if each:
        from nasm.nki.by_rank import ByRank
        from nasm.ranks.inputs import RANK

        for name, text in each:
            texts = [text.replace(RANK, str(rank)) for rank in range(ranks)]
            try:
                found[name] = ByRank([arrays.read([(name, text)])[name] for text in texts])
            except Refused as refused:
                raise Failure(Problem(refused.code, f"--in {name}: {refused.message}")) from None
    return found


def words(args: argparse.Namespace, given: Mapping[str, Any]) -> dict[str, str]:
    """What --arg gives of each argument that is no array."""
    found: dict[str, str] = {}
    for name, word in args.arguments:
        if name in found or name in given:
            raise Wrong(f"the argument {name} is given twice")
        found[name] = word
    return found


def _in_folder(folder: str | None) -> Callable[[str], Any]:
    """The arrays of --in-dir by the names of parameters; raises Failure."""
    if folder is not None and not os.path.isdir(folder):
        raise Failure(Problem("E0801", f"no folder {folder}, from which inputs are read"))

    def array(name: str) -> Any:
        path = os.path.join(folder, f"{name}.npy") if folder is not None else ""
        if not path or not os.path.isfile(path):
            return None
        return arrays.read([(name, path)])[name]

    return array


@contextmanager
def prints_aside(args: argparse.Namespace) -> Iterator[None]:
    """Let what a kernel prints go to standard error, if standard output has another use."""
    others = (getattr(args, name, None) for name in ("trace", "sarif", "emit", "output"))
    files = [path for _, path in getattr(args, "outputs", ())]
    if not getattr(args, "json", False) and "-" not in (*others, *files):
        yield
        return
    with redirect_stdout(cast(TextIO, sys.stderr)):
        yield


def emit(made: Traced, bindings: Mapping[str, str], path: str) -> list[str]:
    """Write a kernel as a text; returns what else was written, raises Failure."""
    printed, written = text_of(made, bindings, path)
    results.put_text(path, printed)
    return written


def begin(made: Traced, bindings: Mapping[str, str]) -> list[str]:
    """Let inputs begin with what a declaration can say of them; returns the names of the others."""
    left = []
    for number, name in enumerate(made.inputs, 1):
        tensor = made.program.tensors[name]
        tensor.init = arrays.initialiser(bindings.get(name, ""), number)
        if tensor.init is None:
            left.append(name)
    return left


def text_of(
    made: Traced, bindings: Mapping[str, str], path: str, places: bool = False
) -> tuple[str, list[str]]:
    """A kernel as a text for a file, and the files that were written next to it.

    Its inputs begin with what they were given: as the text can express it, or in files next to it,
    if it goes into one. Raises Failure.
    """
    from nasm.language.printing import text
    from nasm.nki.hoisting import remarks

    folder, file = os.path.split(path)
    beside = "" if path == results.spelled("-") else f"{os.path.splitext(file)[0]}_arrays"
    written = []
    for name in begin(made, bindings):
        if beside:
            tensor = made.program.tensors[name]
            results.make_folder(os.path.join(folder, beside))
            path = os.path.join(folder, beside, f"{name}.npy")
            files.put_array(name, path, made.inputs[name], tensor.dtype)
            written.append(path)
            tensor.init = arrays.file(os.path.join(beside, f"{name}.npy"), folder)
    remark = remarks(made.reused)
    folder = folder if beside else ""
    return text(made.program, folder=folder, places=places, remark=remark), written
