"""What commands print, written into the pages that show them.

A page says `<!-- captured: neuron-nasm run x.nasm -->`, and what follows up to `<!-- end -->` is
made by running that. Programs come from `programs/`, or from the page itself: the block behind
`<!-- file: x.nasm -->`, or `<!-- file: x.nasm is programs/y.nasm without "text" -->`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = "88"

_CAPTURED = re.compile(r"(<!-- captured: (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_ERRORS = re.compile(r"worst \|error\| .*")  # NumPy's products differ between processors
_SHOWN = re.compile(r"<!-- file: (\S+) -->\n+```\w*\n(.*?)```", re.DOTALL)
_CHANGED = re.compile(r'<!-- file: (\S+) is (\S+) without "(.*?)" -->')


def filled(page: str) -> str:
    """A page with what its commands print now."""
    if not _CAPTURED.search(page):
        return page
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "programs").symlink_to(ROOT / "programs")
        for name, text in programs(page).items():
            (work / name).write_text(text, encoding="utf-8")
        return _CAPTURED.sub(lambda m: _section(m, work), page)


def _section(match: re.Match[str], folder: Path) -> str:
    """A captured section anew; as it is, if only the errors of float32 sums differ."""
    head, command, foot = match.groups()
    made = f"{head}```console\n$ {command}\n{printed(command, folder)}```\n{foot}"
    return match[0] if _ERRORS.sub("", made) == _ERRORS.sub("", match[0]) else made


def programs(page: str) -> dict[str, str]:
    """The programs a page brings along, by file name."""
    found = dict(_SHOWN.findall(page))
    for name, origin, without in _CHANGED.findall(page):
        text = (ROOT / origin).read_text(encoding="utf-8")
        if text.count(without) != 1:
            raise SystemExit(f"{origin} holds '{without}' {text.count(without)} times, not once")
        found[name] = text.replace(without, " " * len(without))
    return found


def printed(command: str, folder: Path) -> str:
    """What a command prints in a folder, without colours."""
    words = shlex.split(command)
    environment = {
        **os.environ,
        "COLUMNS": WIDTH,
        "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-m", "nasm", *words[1:]],
        cwd=folder,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
    )
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"'{command}' ends with {done.returncode}:\n{done.stdout}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"
