"""Programs that are not run, as the options of a verb say."""

from __future__ import annotations

import argparse

from nasm.apps.cli import files, kernels, program_names
from nasm.base.files import Allowed
from nasm.isa.timing import Timing
from nasm.language.objects import Loaded, loaded
from nasm.sync.sequential_text import autosync
from nasm.targets import TARGETS


def allowed(args: argparse.Namespace) -> Allowed:
    """The files that a program may name; raises Failure."""
    return Allowed.of(args.files, args.include)


def assembled(
    args: argparse.Namespace, path: str, timing: Timing | None = None, *, rules: bool = True
) -> Loaded:
    """A text assembled, an object loaded, or a kernel traced; raises Failure.

    Of a kernel inputs begin with what ``--in`` makes; what files hold is given when it runs.
    Without ``rules`` those of an object's instructions are not checked again.
    """
    if program_names.kernel(path):
        made = kernels.traced(args, args.timing)
        kernels.begin(made, dict(args.inputs))
        return Loaded(made.program, None)
    return loaded(
        files.program(path),
        TARGETS,
        args.target,
        dict(args.defines),
        dict(args.options),
        allowed(args),
        Timing.of(args.timing) if timing is None else timing,
        autosync if getattr(args, "autosync", False) else None,
        rules=rules,
    )
