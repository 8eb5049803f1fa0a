"""Random programs without branches: whatever the numbers say, waiting for what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from tests.fuzz.ordered.memories import Memories
from tests.fuzz.ordered.tiles import Area, Tensor, View
from tests.fuzz.ordered.weave import Event, Line, Op, Weave, Where

ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync")
FUNCTIONS = ("copy", "abs", "relu", "tanh", "sigmoid")
OPERATORS = ("add", "subtract", "maximum", "minimum")


class Flow:
    """Makes instructions one by one, on one core or two."""

    def __init__(self, draw: Random, target: str) -> None:
        self.draw, self.target = draw, target
        self.cores = 2 if target != "trn1" and draw.random() < 0.3 else 1
        self.weave = Weave(draw)
        engines = [e for e in ENGINES if e != "tensor"]
        self.engines = [
            draw.sample(engines, draw.randint(1 + (self.cores == 1), 4)) for _ in range(self.cores)
        ]
        self.memories = Memories(draw, draw.random() < 0.3)
        self.transfers: list[str] = []
        self.sums: list[View] = []
        self.labels = self.pipes = 0
        for core in range(self.cores):
            self.memories.chip(core)
            if self.memories.matmuls:
                self.engines[core].append("tensor")
        self.memories.hbm()

    # -- instructions

    def make(self, steps: int) -> None:
        """All of it."""
        self._begin()
        for _ in range(3 * steps):
            steps -= self._step()
            if steps == 0:
                break
        self._finish()

    def _begin(self) -> None:
        """Fill some of the tiles, so that there is something to work with."""
        for core in range(self.cores):
            for tensor in self.memories.tensors(core, "sbuf"):
                if self.draw.random() < 0.7 and not tensor.whole.mask & tensor.area.filled:
                    self._fill(core, tensor.whole)

    def _fill(self, core: int, tile: View) -> Op:
        """Load a tile, or let an engine set it."""
        engine = self.draw.choice(self.engines[core])
        source = self.memories.filled(core, "hbm", groups=tile.groups, count=tile.count)
        if source is not None and self.draw.random() < 0.6:
            return self.transfer((core, engine), tile, source)
        engine = self.draw.choice(("vector", "gpsimd"))
        return self.instruction((core, engine), f"Memset {tile}, 1.0", (), (tile,))

    def _step(self) -> bool:
        """One more; False if the numbers led to nothing that can be done."""
        core = self.draw.randrange(self.cores)
        engine = self.draw.choice(self.engines[core])
        where = (core, engine)
        made: Callable[[Where], Op | None] = self._computed
        if engine == "tensor" and self.draw.random() < 0.9:
            made = self._multiplied
        elif engine in ("sync", "tensor") or self.draw.random() < 0.4:
            made = self._moved
        if self.cores == 2 and self.draw.random() < 0.2:
            made = self.draw.choice((self._barrier, self._exchanged))
        return made(where) is not None

    def instruction(
        self,
        where: Where,
        lines: Sequence[Line] | str,
        reads: Sequence[View],
        writes: Sequence[View],
        *,
        moves: bool = False,
        rounds: int = 1,
        adds: bool = False,
        strict: bool = False,
    ) -> Op:
        """Add something with all that it has to wait for, and remember what it touches."""
        needs: list[Event] = []
        behind: list[Op] = []
        for view in reads:
            needs += view.area.needs(where, view.mask, False, moves or strict)
            if not moves and not strict:
                behind += view.area.writers(view.mask)
        for view in writes:
            needs += view.area.needs(where, view.mask, True, moves or strict)
        op = self.weave.add(where, lines, needs, moves=moves, rounds=rounds, reads=behind)
        for view in reads:
            view.area.read(op, view.mask, strict)
        masks: dict[Area, list[int]] = {}
        for view in writes:
            masks.setdefault(view.area, []).append(view.mask)
        for area, some in masks.items():
            if adds:
                area.read(op, some[0])
            area.write(op, some, strict)
        return op

    def _computed(self, where: Where) -> Op | None:
        core, engine = where
        if engine in ("sync", "tensor"):
            return None
        chip = ("sbuf",) if engine == "gpsimd" else ("sbuf", "psum")
        if self.draw.random() < 0.15:
            return self._loop(where)
        first = self.memories.free(core, *chip)
        if engine != "scalar" and self.draw.random() < 0.2 and first is not None:
            return self.instruction(
                where, f"Memset {first}, {self.draw.randint(1, 9)}.0", (), (first,)
            )
        source = self.memories.filled(core, *chip)
        if source is None:
            if engine == "scalar" or first is None:
                return None
            return self.instruction(where, f"Memset {first}, 1.0", (), (first,))
        if engine == "vector" and self.draw.random() < 0.15:
            target = self.memories.like(core, chip, source.groups, 1, (source,))
            text = f"TensorReduce {target}, {source}, op=maximum, axis=1"
            return self.instruction(where, text, (source,), (target,)) if target else None
        other = None
        if engine != "scalar" and self.draw.random() < 0.5:
            other = self.memories.filled(core, "sbuf", groups=source.groups, count=source.count)
        reads = (source,) if other is None else (source, other)
        target = self.memories.like(core, chip, source.groups, source.count, reads)
        if target is None:
            return None
        return self.instruction(where, self._text(engine, target, reads), reads, (target,))

    def _text(self, engine: str, target: View, reads: Sequence[View]) -> str:
        draw, operands = self.draw, ", ".join(map(str, (target, *reads)))
        if len(reads) == 2:
            op = draw.choice(OPERATORS) if engine == "vector" else "add"
            return f"TensorTensor {operands}, op={op}"
        if engine == "scalar":
            return f"Activation {operands}, op={draw.choice(FUNCTIONS)}"
        if engine == "vector" and draw.random() < 0.5:
            return f"TensorScalar {operands}, op0=multiply, operand0=0.5"
        return f"TensorCopy {operands}"

    def _loop(self, where: Where) -> Op | None:
        """A few rounds of one instruction: while it runs, or written out."""
        core, engine = where
        view = self.memories.filled(core, "sbuf")
        if view is None or not self.memories.writable(view, (view,)):
            return None
        rounds = self.draw.randint(2, 4)
        body = f"{self._text(engine, view, (view,))}"
        at_end = self.draw.random() < 0.5
        if self.draw.random() < 0.4:
            lines = [
                Line("EventSemaphore", True),
                Line(f".for k in 0..{rounds}"),
                Line(body, False, True),
                Line(".end"),
            ]
        else:
            self.labels += 1
            label = f"again{self.labels}"
            lines = [
                Line(f"RegisterMove %r0, {rounds}", True),
                Line(body, False, not at_end, label),
                Line("RegisterAlu %r0, %r0, 1, op=subtract"),
                Line(f"CompareBranch %r0, 0, op=greater, target={label}", False, at_end),
            ]
        return self.instruction(where, lines, (view,), (view,), rounds=rounds)

    def _multiplied(self, where: Where) -> Op | None:
        draw, core = self.draw, where[0]
        some = [t for t in self.memories.tensors(core, "sbuf") if t.width == 32 and not t.group]
        if not some:
            return None
        tensor = draw.choice(some)
        groups = draw.choice([n for n in (1, 2, 4) if n <= tensor.groups])
        stationary = tensor.view(0, groups, 0, 32, 1)
        if stationary.mask & ~stationary.area.filled:
            return self._fill(core, stationary) if self.memories.writable(stationary, ()) else None
        target = self._sum(core)
        moving = self.memories.filled(
            core, "sbuf", groups=groups, count=target.count if target else 0
        )
        if moving is None or moving.group + moving.tensor.group:
            return None
        adds = target is not None
        if target is None:
            places = [t for t in self.memories.tensors(core, "psum") if t.width >= moving.count]
            if not places:
                return None
            place = draw.choice(places)
            start = draw.randint(0, place.width - moving.count)
            target = place.view(0, 1, start, moving.count, 1)
            if not self.memories.writable(target, ()):
                return None
        self.instruction(where, f"LoadStationary {stationary}", (stationary,), ())
        text = f"MultiplyMoving {target}, {moving}" + (", accumulate=true" if adds else "")
        op = self.instruction(where, text, (moving,), (target,), adds=adds)
        target.area.multiplied |= target.mask
        self.sums.append(target)
        return op

    def _sum(self, core: int) -> View | None:
        """What a matmul has left in PSUM, to add to it."""
        some = [
            view
            for view in self.sums
            if view.area.core == core and not view.mask & ~view.area.multiplied
        ]
        return self.draw.choice(some) if some and self.draw.random() < 0.6 else None

    # -- transfers

    def _moved(self, where: Where) -> Op | None:
        core = where[0]
        source = self.memories.filled(core, "hbm", "sbuf")
        if source is None:
            return None
        memories = ("hbm", "sbuf") if source.area.memory == "sbuf" else ("sbuf", "sbuf", "hbm")
        target = self.memories.like(core, memories, source.groups, source.count, (source,))
        if target is None or target.meets(source):
            return None
        return self.transfer(where, target, source)

    def transfer(self, where: Where, target: View, source: View) -> Op:
        """Move data: by an instruction, by several, or as it was prepared."""
        draw = self.draw
        if draw.random() < 0.15:
            name = f"move{len(self.transfers)}"
            head = f".core {where[0]}\n" if self.cores == 2 else ""
            self.transfers.append(f"{head}.dma {name}\n    {target} <- {source}\n.end")
            return self.instruction(where, f"DmaTrigger {name}", (source,), (target,), moves=True)
        how = draw.choice(("", "", ", queue=3", ", dge_mode=none"))
        if target.step == source.step == 1 and target.count in (4, 8, 16) and draw.random() < 0.2:
            return self._parts(where, target, source, how)
        text = f"DmaCopy {target}, {source}{how}"
        return self.instruction(where, text, (source,), (target,), moves=True)

    def _parts(self, where: Where, target: View, source: View, how: str) -> Op:
        """A part of the words in each round."""
        count = target.count // 2

        def part(view: View) -> str:
            first = 32 * view.group
            words = f"{view.start} + k*{count} : +{count}"
            return f"{view.tensor.name}[{first}:{first + 32 * view.groups}, {words}]"

        lines = [
            Line("EventSemaphore", True),
            Line(".for k in 0..2"),
            Line(f"DmaCopy {part(target)}, {part(source)}{how}", False, True),
            Line(".end"),
        ]
        halves = [
            v._replace(start=target.start + k * count, count=count)
            for k, v in enumerate((target, target))
        ]
        return self.instruction(where, lines, (source,), halves, moves=True, rounds=2)

    # -- two cores

    def _barrier(self, where: Where) -> Op:
        """Both cores meet; each has waited for some of what it has done."""
        engine = where[1]
        hbm = self.memories.tensors(0, "hbm")[0]
        both = []
        for core in (0, 1):
            done = [op.end for op in self.weave.ops[-10:] if op.where[0] == core]
            needs = [e for e in done if self.draw.random() < 0.6]
            both.append(self.weave.add((core, engine), f"CoreBarrier {hbm.name}", needs))
        self.weave.meet(*both)
        return both[1]

    def _exchanged(self, where: Where) -> Op | None:
        """Both cores send a tile."""
        sources = [self.memories.filled(0, "sbuf")]
        if sources[0] is None:
            return None
        shape = sources[0].groups, sources[0].count
        sources.append(self.memories.filled(1, "sbuf", groups=shape[0], count=shape[1]))
        targets = []
        for core, source in enumerate(sources):
            if source is None:
                return None
            target = self.memories.like(core, ("sbuf",), *shape, (source,))
            if target is None or target.meets(source):
                return None
            targets.append(target)
        self.pipes += 1
        how = ", dma_engine=gpsimd_dma" if where[1] == "gpsimd" and self.draw.random() < 0.8 else ""
        both = []
        for core, (target, source) in enumerate(zip(targets, sources, strict=True)):
            assert source is not None
            other = 1 - core
            text = f"SendRecv {target}, {source}, send_to_rank={other}, recv_from_rank={other}"
            text += f", pipe_id={self.pipes}{how}"
            both.append(self.instruction((core, where[1]), text, (source,), (target,), strict=True))
        self.weave.meet(*both)
        return both[1]

    # -- the end

    def _finish(self) -> None:
        """Write what is left of the outputs, and wait for all transfers."""
        outputs = [t for t in self.memories.tensors(0, "hbm") if t.declared.endswith("output")]
        for tensor in outputs:
            self._complete(tensor)
        last = [op.end for op in self.weave.ops if op.moves]
        early = [event for event in last if self.draw.random() < 0.1]
        for event in early:
            self._end(self.weave.ops[event.op].where[0], [event])
        for core in range(self.cores):
            mine = [e for e in last if self.weave.ops[e.op].where[0] == core]
            self._end(core, mine)

    def _end(self, core: int, events: Sequence[Event]) -> None:
        if events:
            where = (core, self.draw.choice(self.engines[core]))
            self.weave.add(where, "EventSemaphore", events)

    def _complete(self, tensor: Tensor) -> None:
        """Store into each group of rows what nobody has written, neighbours at once."""
        core = self.draw.randrange(self.cores)
        for group in range(tensor.groups):
            free = [
                word
                for word in range(tensor.width)
                if not tensor.view(group, 1, word, 1, 1).mask & tensor.area.filled
            ]
            while free:
                count = 1
                while count < len(free) and free[count] == free[0] + count:
                    count += 1
                count = 1 << count.bit_length() - 1
                target = tensor.view(group, 1, free[0], count, 1)
                free = free[count:]
                engine = self.draw.choice(self.engines[core])
                source = self.memories.filled(core, "sbuf", "hbm", groups=1, count=count)
                if source is None or source.area is target.area:
                    source = self._ones(core, count)
                self.transfer((core, engine), target, source)

    def _ones(self, core: int, count: int) -> View:
        """A new tile of ones."""
        tile = self.memories.tensor(Area("sbuf", core, count), 0, 1, 0, count).whole
        where = (core, self.draw.choice(("vector", "gpsimd")))
        self.instruction(where, f"Memset {tile}, 1.0", (), (tile,))
        return tile

    def text(self) -> Iterator[str]:
        """The program."""
        body = list(self.weave.text())
        yield from self.memories.declarations()
        yield from self.transfers
        if self.cores == 2:
            yield ".core 0"
        yield from body
