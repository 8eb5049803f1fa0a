"""What the course asks of the machine: each exercise judged as its learner does it.

    python tests/bench/course.py          print the table
    python tests/bench/course.py --write  write it into docs/course.md, too

Times are of the processor, of the command and the processes that it starts: once with what the
exercise begins with, once with a solution of ours.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from nasm.grading.course import Course  # noqa: E402
from nasm.grading.exercise import SOLUTIONS  # noqa: E402

PAGE = ROOT / "docs" / "course.md"
TABLE = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.DOTALL)


def judged(folder: str, name: str) -> float:
    """Seconds of the processor for one `learn NAME --once`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "nasm", "learn", name, "--once", "--dir", folder]
    subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table() -> str:
    """A row for each exercise, and their sum."""
    rows, sums = [], [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        course = Course(folder)
        for exercise in course.exercises:
            path = course.begin(exercise)
            times = [judged(folder, exercise.name)]
            shutil.copy(exercise.submissions(SOLUTIONS)[0], path)
            times.append(judged(folder, exercise.name))
            if not Course(folder).passed(exercise):
                raise SystemExit(f"the solution of {exercise.name} does not pass")
            sums = [a + b for a, b in zip(sums, times, strict=True)]
            shown = [f"{each:.1f} s" for each in times]
            rows.append(f"| `{exercise.name}` | {' | '.join(shown)} |")
    head = "| exercise | judging the starter | a solution |"
    all_of_them = f"| all | {sums[0]:.1f} s | {sums[1]:.1f} s |"
    return "\n".join([head, "|---|---|---|", *rows, all_of_them]) + "\n"


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/course.md, too")
    given = parser.parse_args()
    made = table()
    print(made, end="")
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLE.sub(lambda _: made, page), encoding="utf-8")


if __name__ == "__main__":
    main()
