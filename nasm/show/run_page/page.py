"""The page of a run, or of two on one scale, from the results of runs that were watched."""

from __future__ import annotations

from collections.abc import Sequence

from nasm.analysis.profile.records import Profile
from nasm.base.page import RunPage
from nasm.runs.results import Results
from nasm.show.run_page.document import document
from nasm.show.run_page.record import record
from nasm.show.run_page.svg import svg

Shown = tuple[str, Results, Profile]
"""What a run is called next to another one (empty if it is alone), its results, and its profile."""


def page_of(runs: Sequence[Shown], comparison: tuple[str, str] = ("", "")) -> RunPage:
    """The page of some runs; ``comparison`` of two of them is a sentence, and a text."""
    records = [record(results, profile, label) for label, results, profile in runs]
    return RunPage(document(records, comparison), svg(records))
