"""What a worker does: one run, as a row."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from functools import cache

from nasm.api import Result, run
from nasm.base import files, host_files, host_memory
from nasm.base.files import State
from nasm.base.problems import Failure, Refused, in_line
from nasm.base.records import replace
from nasm.machine.records import Status
from nasm.nki.loading import load
from nasm.runs.settings import RunSettings
from nasm.sweeps.job import KernelCall, RunJob
from nasm.sweeps.row import REFUSED, TIMED_OUT, SweepRow
from nasm.workers.version import OtherVersion, version


def done(job: RunJob, wanted: str) -> SweepRow:
    """Make a run; whatever is wrong with it is in the row. Raises OtherVersion."""
    if version() != wanted:
        raise OtherVersion(wanted, version())
    began = time.process_time()
    with files.noting() as noted:
        try:
            row = _of_result(job, _run(job))
        except (Failure, Refused) as failure:
            first = failure.problems[0]
            status = TIMED_OUT if first.code == "E0516" else REFUSED
            row = _without(job, status, first.code, in_line(first.message))
        except (MemoryError, SystemError) as error:
            if not host_memory.lacking(error):
                raise
            row = _without(job, REFUSED, "E0808", host_memory.LACKING)
    try:
        row = replace(row, files=hashes(noted))
    except OSError as error:
        row = _without(job, REFUSED, "E0801", in_line(f"cannot read {error.filename}: {error}"))
    return replace(row, seconds=time.process_time() - began)


def _without(job: RunJob, status: str, code: str, reason: str) -> SweepRow:
    return SweepRow(
        point=job.point, key=job.key, status=status, ok=False, reason=f"{code}: {reason}", code=code
    )


def _run(job: RunJob) -> Result:
    settings = replace(job.settings, profile=True, python=False)
    if not isinstance(job.program, KernelCall):
        return run(job.program, job.inputs, settings=settings)
    call = job.program
    assert job.inputs is None or isinstance(job.inputs, Mapping)
    made = load(
        call.name,
        dict(job.inputs or {}),
        call.arguments,
        lnc=call.lnc,
        target=settings.target,
        dma=call.dma,
        hoist=call.hoist,
        options=settings.options,
        timing=settings.timing,
        python=call.python,
    )
    chosen: RunSettings = settings.of_assembled(files=True)
    return run(made.program, made.inputs, settings=chosen)


def _of_result(job: RunJob, result: Result) -> SweepRow:
    report, profile = result.report, result.session.profile()
    wrong = [*report.problems, *report.hazards]
    reasons = ", ".join(report.reasons)
    return SweepRow(
        point=job.point,
        key=job.key,
        status=TIMED_OUT if report.status is Status.TIMEOUT else report.status.value,
        ok=report.ok,
        reason=f"{wrong[0].code}: {in_line(wrong[0].message)}" if wrong else reasons,
        code=wrong[0].code if wrong else "",
        target=report.target,
        ticks=report.ticks,
        microseconds=report.microseconds,
        mfu=profile.rates.dtype_mfu,
        dma_bytes=report.channel_bytes,
        instructions=sum(engine.instructions for engine in report.engines),
        hazards=len(report.hazards),
        verdict=profile.verdict,
        trace_hash=report.trace_hash,
        memory_hash=report.memory_hash,
    )


# ---------------------------------------------------------------- files


def hashes(paths: Iterable[str] | Mapping[str, State]) -> dict[str, str]:
    """A hash of what each file holds, empty for one that is not there; raises OSError."""
    return {path: _hash(path, files.state(path)) for path in paths}


@cache
def _hash(path: str, state: State) -> str:
    """The same as long as the file has the same state."""
    if not os.path.isfile(path):
        return ""
    if state is None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)
    return hashlib.sha256(host_files.read_bytes(path)).hexdigest()[:32]
