"""Which public kernels work with which version of NKI: ``python -m tests.nki.published.versions``.

``--sdk CHECKOUT`` is a checkout of aws-neuron-sdk with its tags, whose stubs say what each release
has; what else is given are checkouts with kernels. Their modules are imported, and scripts that
check themselves run: name no checkout that you would not run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.nki.published import stubs
from tests.nki.published.stubs import OLD, TODAY, Release, git
from tests.nki.published.tried import IMPORTED, SCRIPT, imports, script
from tests.nki.published.uses import Use, Uses, uses

PAGE = Path(__file__).parents[3] / "docs" / "nki-versions.md"
MARKS = "<!-- versions -->\n", "<!-- end -->"


@dataclass(frozen=True)
class Row:
    """A file with kernels: the releases that have all it uses, and what the others lack."""

    path: str
    kernels: int
    fits: Fit
    here: str


@dataclass(frozen=True)
class Fit:
    """The releases that have all that a file uses, as text, and what the newest other one lacks."""

    text: str = "none"
    lacks: str = ""
    old: bool = False
    newest: bool = False


def read(path: Path) -> Uses | str | None:
    """What a file uses; None if it has no kernel, a sentence if it is no Python."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if "nki" not in text:
        return None
    try:
        found = uses(text)
    except (SyntaxError, ValueError) as wrong:
        return f"no Python: line {getattr(wrong, 'lineno', 0)}"
    return found if found is not None and found.kernels else None


def missing(found: Uses, release: Release) -> Use | None:
    """The first thing a file uses that a release does not have."""
    for use in found.names:
        if not use.module.startswith(release.package):
            continue
        if not release.has(use.module, use.name):
            return Use(use.module, use.name, use.line)
        for keyword in use.keywords:
            if not release.takes(use.module, use.name, keyword):
                return Use(use.module, use.name, use.line, (keyword,))
    return None


def fitting(found: Uses, releases: Sequence[Release]) -> Fit:
    """The releases that have all that a file uses."""
    if found.packages == {OLD, TODAY}:
        return Fit("both dialects")
    own = [release for release in releases if release.package in found.packages]
    lacks = {release.sdk: missing(found, release) for release in own}
    fits = [release for release in own if lacks[release.sdk] is None]
    other = [use for use in lacks.values() if use is not None]
    lacking = _text(other[-1]) if other else ""
    newest = releases[-1] in fits
    return Fit(_spans(fits, own), lacking, own[-1].package == OLD, newest)


def _spans(fits: Sequence[Release], own: Sequence[Release]) -> str:
    """Some releases as runs of those there are."""
    runs: list[list[Release]] = []
    for release in own:
        if release in fits:
            if runs and own.index(runs[-1][-1]) == own.index(release) - 1:
                runs[-1].append(release)
            else:
                runs.append([release])
    spans = (f"{r[0].sdk} to {r[-1].sdk}" if len(r) > 1 else r[0].sdk for r in runs)
    return ", ".join(spans) or "none"


SHORT = {"": "nki", "isa": "nisa", "language": "nl"}
"""What kernels usually call the modules of NKI."""


def _text(use: Use) -> str:
    inner = use.module.removeprefix(OLD).removeprefix(TODAY).strip(".")
    name = f"{SHORT.get(inner, inner)}.{use.name}"
    return f"`{name}({use.keywords[0]}=)`" if use.keywords else f"`{name}`"


def rows(checkout: Path, releases: Sequence[Release], scripts: bool) -> list[Row]:
    """The files with kernels of a checkout."""
    root = checkout.resolve()
    read_as = {path: read(path) for path in sorted(root.rglob("*.py")) if not _hidden(root, path)}
    used = {path: found for path, found in read_as.items() if isinstance(found, Uses)}
    stopped, made = imports(root, list(used)), []
    for path, found in read_as.items():
        name = path.relative_to(root).as_posix()
        if isinstance(found, str):
            made.append(Row(name, 0, Fit(), found))
        elif found is not None:
            here = stopped[path] or IMPORTED
            if scripts and here == IMPORTED and found.checks_itself:
                here = script(path) or SCRIPT
            made.append(Row(name, len(found.kernels), fitting(found, releases), here))
    return made


def _hidden(root: Path, path: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the page, and print it or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sdk", type=Path, required=True, help="aws-neuron-sdk, with its tags")
    parser.add_argument("checkouts", nargs="+", type=Path, metavar="CHECKOUT")
    parser.add_argument("--no-scripts", action="store_true", help="run no scripts")
    parser.add_argument("--date", default=datetime.now(UTC).date().isoformat())
    parser.add_argument("--write", action="store_true", help=f"write it into docs/{PAGE.name}")
    given = parser.parse_args(arguments)
    releases = stubs.releases(given.sdk)
    if not releases:
        parser.error(f"{given.sdk} has no tag with stubs of NKI: clone it with its tags")
    text = page(given.checkouts, releases, given.date, not given.no_scripts)
    if given.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        PAGE.write_text(f"{before}{MARKS[0]}{text}{MARKS[1]}{after}", encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def page(checkouts: Sequence[Path], releases: Sequence[Release], date: str, scripts: bool) -> str:
    """The part of the page that is made."""
    known = ", ".join(f"{r.sdk} (NKI {_name(r)})" for r in releases)
    parts = [f"Made on {date}. Releases of the SDK whose stubs were read: {known}.\n"]
    summary: list[tuple[str, list[Row]]] = []
    for checkout in checkouts:
        every = rows(checkout, releases, scripts)
        commit = git(checkout, "log", "-1", "--format=%h, %ad", "--date=short").strip()
        name = f"{checkout.resolve().name} ({commit})" if commit else checkout.resolve().name
        summary.append((name, every))
        sys.stderr.write(f"{name}: {len(every)} files\n")
    parts.append(_table(SUMMARY, (_counts(name, every) for name, every in summary)))
    for name, every in summary:
        parts.append(f"### {name}\n")
        cells = (
            (f"`{r.path}`", str(r.kernels), r.fits.text, r.fits.lacks, _cell(r.here)) for r in every
        )
        parts.append(_table(FILES, cells))
    return "\n".join(parts)


FILES = ("file", "kernels", "releases", "the others lack, for example", "here")
SUMMARY = ("checkout", "files", "NKI 0.1", "fit the newest release", "imported", "scripts run")


def _name(release: Release) -> str:
    return "0.1" if release.package == OLD else release.nki or "?"


def _counts(name: str, every: Sequence[Row]) -> tuple[str, ...]:
    """A row of the summary."""
    old = sum(row.fits.old for row in every)
    newest = sum(row.fits.newest for row in every)
    ran = sum(row.here == SCRIPT for row in every)
    imported = sum(row.here.startswith((IMPORTED, "its script")) for row in every)
    return name, *map(str, (len(every), old, newest, imported, ran))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table(titles: Sequence[str], lines: Iterator[tuple[str, ...]]) -> str:
    every = [titles, ["---"] * len(titles), *lines]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in every)


if __name__ == "__main__":
    sys.exit(main())
