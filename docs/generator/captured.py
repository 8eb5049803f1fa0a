"""What commands print, written into the pages that show them.

A page says `<!-- captured: neuron-nasm run x.nasm -->`, and what follows up to `<!-- end -->` is
made by running that. Programs come from `programs/`, or from the page itself: the block behind
`<!-- file: x.nasm -->`, or `<!-- file: x.nasm is programs/y.nasm without "text" -->`, where the
other may be one of the page, too, and `with "that" for "this"` changes what stands there once.

What is typed at the debugger's prompt is written in the page: `<!-- session: WIDTH -->`, a block
whose first line is the shell command, and lines that begin with the prompt. Everything between
those is what the debugger prints there, at that width. `<!-- session continues -->` goes on in
the same session, however much of the page stands between.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = "88"

_CAPTURED = re.compile(r"(<!-- captured: (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_ERRORS = re.compile(r"worst \|error\| .*")  # NumPy's products differ between processors
_SHOWN = re.compile(r"<!-- file: (\S+) -->\n+```[\w-]*\n(.*?)```", re.DOTALL)
_CHANGED = re.compile(r'<!-- file: (\S+) is (\S+) with(?:out| "(.*?)" for) "(.*?)" -->')


_SESSION = re.compile(
    r"(<!-- session(?:: (?P<width>\d+)| continues) -->\n)"
    r"```console\n(?P<text>.*?)```\n(<!-- end -->)",
    re.DOTALL,
)
_PROMPT = "(nasm) "
_MORE = "  ...> "
_AS_TYPED = "set context on\nset stop-on hazard on\nset width {}\n"
"""What makes a session that nobody types print what is printed at the prompt."""


def filled(page: str) -> str:
    """A page with what its commands print now."""
    if not _CAPTURED.search(page) and not _SESSION.search(page):
        return page
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "programs").symlink_to(ROOT / "programs")
        for name, text in programs(page).items():
            (work / name).write_text(text, encoding="utf-8")
        page = _CAPTURED.sub(lambda m: _section(m, work), page)
        return _sessions(page, work)


def _sessions(page: str, folder: Path) -> str:
    """A page with its sessions anew; as they are, if only errors of float32 sums differ."""
    blocks = list(_SESSION.finditer(page))
    begins = [n for n, block in enumerate(blocks) if block["width"]]
    if blocks and begins[:1] != [0]:
        raise SystemExit("a session continues before one has begun")
    made: list[str] = []
    for first, after in pairwise([*begins, len(blocks)]):
        made += _session(blocks[first:after], folder)
    texts = iter(made)
    return _SESSION.sub(lambda m: f"{m[1]}```console\n{next(texts)}```\n{m[4]}", page)


def _session(blocks: list[re.Match[str]], folder: Path) -> list[str]:
    """The texts of the blocks of one session, with what its commands print now."""
    lines = [block["text"].splitlines() for block in blocks]
    command = lines[0][0]
    typed = [[one for one in block if one.startswith((_PROMPT, _MORE))] for block in lines]
    commands = [one.removeprefix(_PROMPT).removeprefix(_MORE) for block in typed for one in block]
    (folder / "init").write_text(_AS_TYPED.format(blocks[0]["width"]), encoding="utf-8")
    everything = "\n".join(commands)
    more = f"--init init --echo -ex {shlex.quote(everything)}"
    out = printed(f"{command.removeprefix('$ ')} {more}", folder)
    rest = out.splitlines(keepends=True)
    rest = rest[_first(rest, typed[0][0], command, after=0) :]
    made = []
    for n, block in enumerate(typed):
        following = typed[n + 1][0] if n + 1 < len(typed) else None
        end = _first(rest, following, command, after=_last(rest, block, command))
        head = f"{command}\n" if n == 0 else ""
        text, rest = head + "".join(rest[:end]), rest[end:]
        was = blocks[n]["text"]
        made.append(was if _ERRORS.sub("", text) == _ERRORS.sub("", was) else text)
    return made


def _last(lines: list[str], typed: list[str], command: str) -> int:
    """Behind the place where the last of some commands is echoed."""
    at = 0
    for one in typed:
        at = _first(lines, one, command, after=at) + 1
    return at


def _first(lines: list[str], typed: str | None, command: str, *, after: int) -> int:
    """Where a command is echoed; the end, if there is none to look for."""
    if typed is None:
        return len(lines)
    for n in range(after, len(lines)):
        if lines[n].rstrip() == typed.rstrip():
            return n
    raise SystemExit(f"'{command}': '{typed}' was not done")


def _section(match: re.Match[str], folder: Path) -> str:
    """A captured section anew; as it is, if only the errors of float32 sums differ."""
    head, command, foot = match.groups()
    made = f"{head}```console\n$ {command}\n{printed(command, folder)}```\n{foot}"
    return match[0] if _ERRORS.sub("", made) == _ERRORS.sub("", match[0]) else made


def programs(page: str) -> dict[str, str]:
    """The programs a page brings along, by file name."""
    found = dict(_SHOWN.findall(page))
    for name, origin, new, old in _CHANGED.findall(page):
        text = found.get(origin) or (ROOT / origin).read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise SystemExit(f"{origin} holds '{old}' {text.count(old)} times, not once")
        found[name] = text.replace(old, new or " " * len(old))
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
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
    )
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"'{command}' ends with {done.returncode}:\n{done.stdout}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"
