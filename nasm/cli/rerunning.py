"""The verb ``run`` with ``--schedules`` or ``--witness``: the program again, in other ways."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.text import Text

from nasm.cli.running import BROKEN, REFUSED, Run
from nasm.cli.screen import Screen
from nasm.problems import Failure, Problem, clean, folded
from nasm.records import RunReport, Status
from nasm.report import json_rerun
from nasm.rerun.drawn import each
from nasm.rerun.races import races_of
from nasm.rerun.records import Schedule, Schedules, Witness
from nasm.rerun.witnesses import Witnesses
from nasm.session import Session


class Rerunning(Run):
    """One ``neuron-nasm run`` that runs its program more than once."""

    undone = "all other runs had been made"

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        super().__init__(args, screen)
        self.seed = 1 if args.seed is None else args.seed
        self.count = 0
        self.differing: list[Schedule] = []
        self.witnesses: list[Witness] = []

    @property
    def schedules(self) -> Schedules:
        """Those that were run until now."""
        return Schedules(self.seed, self.count, tuple(self.differing))

    def session(self, **more: Any) -> Session:
        """The program on a machine, with its inputs kept for others; raises Failure."""
        return super().session(reruns=True, **more)

    def tell(
        self, session: Session, report: RunReport, code: int, more: Sequence[Problem] = ()
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
                self.notes.append("it is not run again: it did not come to an end of its own")
        if self.differing:
            report = replace(report, against=(self.schedules.verdict,))
            code = code or BROKEN
        lines = self.lines()
        if self.args.quiet and not self.args.json and self.differing:
            self.screen.show(*map(Text, lines), Text())
        self.notes += lines
        return super().tell(session, report, code, more)

    def rerun(self, session: Session) -> None:
        """All other runs that were asked for."""
        begun = time.monotonic()
        races = races_of(session) if self.args.witness else ()
        if races:
            shower = Witnesses(session)
            for race in races:
                found = shower.of((race.first, race.second), race.regions or None)
                self.witnesses.append(found)
                done = len(self.witnesses)
                self.screen.counting("races", done, len(races), time.monotonic() - begun)
        wanted = self.args.schedules or 0
        for schedule in each(session, wanted, self.seed) if wanted else ():
            self.count += 1
            if not schedule.run.same:
                self.differing.append(schedule)
            self.screen.counting("schedules", self.count, wanted, time.monotonic() - begun)

    def lines(self) -> list[str]:
        """What the other runs show, in lines that fit."""
        found: list[object] = [*self.witnesses, *([self.schedules] if self.count else [])]
        return [
            line
            for part in found
            for text in clean(str(part)).split("\n")
            for line in folded(text, "      ", self.screen.width)
        ]

    def others(self) -> dict[str, Any]:
        """What the document says of other runs of the program."""
        return {
            "schedules": json_rerun.schedules(self.schedules) if self.args.schedules else None,
            "witnesses": [json_rerun.witness(found) for found in self.witnesses],
        }
