"""The verb ``run`` with ``--schedules`` or ``--witness``: the program again, in other ways."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.text import Text

from nasm.apps.cli.exit_codes import BROKEN, REFUSED
from nasm.apps.cli.running import Run
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure, Note, Problem, clean, folded
from nasm.machine.records import RunReport, Status
from nasm.runs.running import Running
from nasm.runs.schedules.races import races_of, witnesses
from nasm.runs.schedules.random import each
from nasm.runs.schedules.records import Schedule, Schedules, Witness
from nasm.show import json_schedules


class Rerunning(Run):
    """One ``neuron-nasm run`` that runs its program more than once."""

    undone = "all other runs had been made"

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        super().__init__(args, screen)
        self.seed = 1 if args.seed is None else args.seed
        self.count = 0
        self.differing: list[Schedule] = []
        self.witnesses: list[tuple[Problem, Witness]] = []
        self.hazards: tuple[Problem, ...] = ()

    @property
    def schedules(self) -> Schedules:
        """Those that were run until now."""
        return Schedules(self.seed, self.count, tuple(self.differing))

    def session(self, **more: Any) -> Running:
        """The program on a machine, with its inputs kept for others; raises Failure."""
        return super().session(reruns=True, **more)

    def tell(
        self, session: Running, report: RunReport, code: int, more: Sequence[Problem] = ()
    ) -> int:
        """Run it again and again, then print the report; returns the exit code."""
        if not self.whole:
            self.whole = True  # told to stop meanwhile, there are as many as there are
            if report.status in (Status.FINISHED, Status.DEADLOCK):
                try:
                    self.rerun(session)
                except Failure as failure:  # say, too little memory for another machine
                    more, code = (*more, *failure.problems), code or REFUSED
                self.screen.clear()
            else:
                self.notes.append("it is not run again: it did not end by itself")
        if self.differing:
            report = replace(report, against=(self.schedules.verdict,))
            code = code or BROKEN
        self.hazards = report.hazards
        report = replace(report, hazards=tuple(map(self.shown, report.hazards)))
        lines = self.lines()
        if self.args.quiet and not self.args.json and self.differing:
            self.screen.show(*map(Text, lines), Text())
        self.notes += lines
        return super().tell(session, report, code, more)

    def rerun(self, session: Running) -> None:
        """All other runs that were asked for."""
        begun = time.monotonic()
        races = races_of(session) if self.args.witness else 0
        for found in witnesses(session) if races else ():
            self.witnesses.append(found)
            done = len(self.witnesses)
            self.screen.counting("races", done, races, time.monotonic() - begun)
        wanted = self.args.schedules or 0
        for schedule in each(session, wanted, self.seed) if wanted else ():
            self.count += 1
            if not schedule.run.same:
                self.differing.append(schedule)
            self.screen.counting("schedules", self.count, wanted, time.monotonic() - begun)

    def shown(self, hazard: Problem) -> Problem:
        """A hazard with its witness, if it has one."""
        notes = tuple(Note(w.line) for problem, w in self.witnesses if problem == hazard)
        return replace(hazard, notes=(*hazard.notes, *notes)) if notes else hazard

    def lines(self) -> list[str]:
        """What the schedules show, in lines that fit."""
        return [
            line
            for text in clean(str(self.schedules)).split("\n")
            for line in folded(text, "      ", self.screen.width)
            if self.count
        ]

    def others(self) -> dict[str, Any]:
        """What the document says of other runs of the program."""
        return {
            "schedules": json_schedules.schedules(self.schedules) if self.args.schedules else None,
            "witnesses": [
                json_schedules.witness(
                    found, self.hazards.index(problem) if problem in self.hazards else None
                )
                for problem, found in self.witnesses
            ],
        }
