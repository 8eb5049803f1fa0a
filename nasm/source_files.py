"""Sources from what a Python program has: a path, or the text itself."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from nasm.problems import Failure, Problem, closest, listed
from nasm.source import Source

Text = str | Path | Source


def source_of(text_or_path: Text) -> Source:
    """A Source of a path, or of a text (anything with a newline is a text)."""
    if isinstance(text_or_path, Source):
        return text_or_path
    if isinstance(text_or_path, str) and "\n" in text_or_path:
        return Source("<text>", text_or_path)
    try:
        return Source(str(text_or_path), Path(text_or_path).read_text(encoding="utf-8"))
    except OSError as problem:
        said = f"cannot read {text_or_path}: {problem.strerror or problem}"
        raise Failure(Problem("E0801", said, None, _meant(Path(text_or_path)))) from None
    except UnicodeDecodeError:
        raise Failure(Problem("E0801", f"{text_or_path} is not UTF-8 text")) from None


def _meant(path: Path) -> str:
    """A hint for the name of a program that does not exist: those beside it that are like it."""
    with suppress(OSError):
        beside = sorted(file.stem for file in path.parent.glob("*.nasm"))
        if not path.exists():
            near = [path.stem] if path.stem in beside else closest(path.stem, beside)
            names = [f"'{stem}.nasm'" for stem in near]
            return f"did you mean {listed(names)}?" if names else ""
    return ""
