"""``python -m tests.fuzz programs --count 1000000 --seed 7 --jobs 2 --out FOLDER``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tests.fuzz import driver
from tests.fuzz.adapter import Adapter
from tests.fuzz.arrays import Arrays
from tests.fuzz.calls import Calls
from tests.fuzz.commands import Commands
from tests.fuzz.hostile import Hostile
from tests.fuzz.objects import Objects
from tests.fuzz.old_kernels import OldKernels
from tests.fuzz.oracles import Oracles
from tests.fuzz.order import Ordered
from tests.fuzz.programs import Programs
from tests.fuzz.recordings import Recordings
from tests.fuzz.tensix import Tensix
from tests.fuzz.traced import SDK, Kernels
from tests.fuzz.wire import Wire

FUZZERS = {
    maker.name: maker
    for maker in (
        Programs,
        Arrays,
        Commands,
        Calls,
        Ordered,
        Kernels,
        OldKernels,
        Objects,
        Recordings,
        Tensix,
        Wire,
        Adapter,
        Oracles,
        Hostile,
    )
}


def main() -> int:
    """Run a fuzzer, or try saved inputs again; 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("fuzzer", choices=FUZZERS)
    parser.add_argument("--count", type=int, default=10_000, help="programs, files or commands")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("findings"), help="folder for inputs")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="try saved inputs")
    parser.add_argument("--sdk", type=Path, help="a checkout of AWS's SDK, for 'kernels'")
    given = parser.parse_args()
    if given.sdk is not None:
        os.environ[SDK] = str(given.sdk)  # for the processes that are started, too
    maker = FUZZERS[given.fuzzer]
    if given.replay:
        found = [driver.replay(maker, path.read_bytes()) for path in given.replay]
        for path, finding in zip(given.replay, found, strict=True):
            driver.main_say(f"{path}: {finding or 'nothing'}")
            if finding is not None:
                driver.main_say(finding.details)
        return int(any(found))
    findings = driver.run(maker, given.count, given.seed, given.jobs, given.out, driver.main_say)
    for finding, count in sorted(findings.counts.items(), key=lambda item: -item[1]):
        driver.main_say(f"{count:,} x {finding}")
    return int(bool(findings.counts))


if __name__ == "__main__":
    sys.exit(main())
