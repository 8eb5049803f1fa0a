"""Whether files of kernels can be imported here, and whether a script runs, in other processes."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nasm.base.problems import Failure

IMPORTED, SCRIPT = "imported", "its script runs"

IMPORT_SECONDS, SCRIPT_SECONDS = 20, 60
"""Processor time for an import, and for a script."""

ENDED = "its import ends the process"


def imports(root: Path, paths: Sequence[Path]) -> dict[Path, str]:
    """What stops the import of each of some files; nothing where it is imported.

    They are imported one after the other; after one that ends the process another one goes on.
    """
    found: dict[Path, str] = {}
    while len(found) < len(paths):
        left = [path for path in paths if path not in found]
        words = [sys.executable, "-m", __name__, str(root), *map(str, left)]
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        for line in done.stdout.splitlines():
            if line.startswith(MARK):
                path, why = json.loads(line.removeprefix(MARK))
                found[Path(path)] = why
        if not any(path in found for path in left[:1]):
            found[left[0]] = ENDED
    return found


def script(path: Path) -> str:
    """What a script of a file ends with; nothing if all is right."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SCRIPT_SECONDS, SCRIPT_SECONDS))

    done = subprocess.run(
        [sys.executable, "-m", "nasm", "nki", str(path)],
        cwd=path.parent, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        preexec_fn=limit,
    )  # fmt: skip
    if done.returncode < 0:
        return f"its script takes more than {SCRIPT_SECONDS} s"
    return (
        "" if done.returncode == 0 else f"its script ends with {_last(done.stderr or done.stdout)}"
    )


def _last(text: str) -> str:
    """The first error of what a process has printed, else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error")]
    return (errors or lines[-1:] or ["nothing"])[0][:160]


MARK = "tried: "


class _Late(BaseException):
    pass


def _late(*_: Any) -> None:
    raise _Late


def main(root: str, *paths: str) -> None:
    """Import files with the modules of NKI in place, and print what stopped each."""
    import nasm.nki
    from nasm.nki.library_tests import stand_ins

    stand_ins.install()
    signal.signal(signal.SIGPROF, _late)
    with nasm.nki.installed():
        known, path = set(sys.modules), list(sys.path)
        for each in paths:
            sys.path[:] = [root, f"{root}/src", str(Path(each).parent), *path]
            signal.setitimer(signal.ITIMER_PROF, IMPORT_SECONDS)
            why = _stopped(each)
            signal.setitimer(signal.ITIMER_PROF, 0)
            for name in set(sys.modules) - known:
                home = getattr(sys.modules[name], "__file__", None) or ""
                if home.startswith(root):
                    del sys.modules[name]
            sys.stdout.write(f"\n{MARK}{json.dumps([each, why])}\n")
            sys.stdout.flush()


def _stopped(path: str) -> str:
    import nasm.nki

    try:
        nasm.nki.module(path)
    except Failure as failure:
        return failure.problems[0].message
    except ModuleNotFoundError as missing:
        return f"needs {missing.name}"
    except _Late:
        return f"its import takes more than {IMPORT_SECONDS} s"
    except (Exception, SystemExit) as wrong:
        return (f"{type(wrong).__name__}: {wrong}".splitlines() or [""])[0][:160]
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
