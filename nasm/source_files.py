"""Sources from what a Python program has: a path, or the text itself."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

from nasm.open_files import ANY, Allowed
from nasm.problems import Failure, Problem, Refused, closest, listed
from nasm.source import Source

Text = str | Path | Source

LARGEST = 1 << 28
"""Characters of a program: what has more is a device that never ends, or no program."""


def source_of(text_or_path: Text, files: Allowed = ANY) -> Source:
    """A Source of a path, or of a text (anything with a newline is a text)."""
    if isinstance(text_or_path, Source):
        return text_or_path
    if isinstance(text_or_path, str) and "\n" in text_or_path:
        return Source("<text>", text_or_path)
    try:
        return Source(str(text_or_path), _text(str(text_or_path), files))
    except Refused as refused:
        raise Failure(refused.at(None)) from None
    except OSError as problem:
        said = f"cannot read {text_or_path}: {problem.strerror or problem}"
        hint = _meant(Path(text_or_path)) if files.folder is None else ""
        raise Failure(Problem("E0801", said, None, hint)) from None
    except UnicodeDecodeError:
        raise Failure(Problem("E0801", f"{text_or_path} is not UTF-8 text")) from None
    except ValueError:  # a null character in a path
        raise Failure(Problem("E0801", f"no file {text_or_path}")) from None


def _text(path: str, files: Allowed) -> str:
    """The text of a file, or of a pipe where any file may be read."""
    with (
        open(path, "rb") if files.folder is None else files.opened("", path) as stream,
        io.TextIOWrapper(stream, encoding="utf-8") as lines,
    ):
        text = lines.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise Refused("E0801", f"{path} has more than {LARGEST:,} characters: it is no program")
    return text


def _meant(path: Path) -> str:
    """A hint for the name of a program that does not exist: those beside it that are like it."""
    with suppress(OSError):
        beside = sorted(file.stem for file in path.parent.glob("*.nasm"))
        if not path.exists():
            near = [path.stem] if path.stem in beside else closest(path.stem, beside)
            names = [f"'{stem}.nasm'" for stem in near]
            return f"did you mean {listed(names)}?" if names else ""
    return ""
