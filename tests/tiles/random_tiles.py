"""Random programs of many tiles that crowd the links, race and sometimes wait for ever."""

from __future__ import annotations

from random import Random

from nasm.targets.tensix.noc.chip_map import WORMHOLE

PLACES = [(x, y) for y in WORMHOLE.tensix_rows for x in WORMHOLE.tensix_columns]
SIZES = (16, 64, 1024, 4096, 8192)


class RandomTiles:
    """A text whose tiles send packets of every kind to each other, to DRAM and to themselves.

    ``careful`` programs wait only for what comes whatever else happens. With ``taking`` they also
    take from semaphores and set them. The tiles are those of one chip or more.
    """

    def __init__(
        self,
        rng: Random,
        tiles: int,
        lines: int,
        careful: bool = True,
        taking: bool = False,
        chips: int = 1,
    ) -> None:
        self.rng, self.careful, self.taking = rng, careful, taking
        close = rng.random() < 0.5
        self.places = rng.sample(PLACES[: 2 * tiles] if close else PLACES, tiles)
        self.chips = [n % chips for n in range(tiles)]
        self.texts = [
            ".target wormhole",
            ".dram0 d u8[8192] = random(seed=5)",
            ".host h u8[8192] = random(seed=6)",
        ]
        for n in range(tiles):
            self.texts += [
                self.tile(n),
                f".l1 a{n} u8[8192] @ 0x2000 = random(seed={n})",
                f".l1 b{n} u8[8192] @ 0x6000 = random(seed={n + 100})",
                f".l1 w{n} u32[64] @ 0xa000 = zeros",
                f".sem s{n}, t{n}, r{n}",
            ]
        for n in range(tiles):
            self.texts.append(self.tile(n))
            for network in (0, 1):
                if rng.random() < 0.8:
                    self.queue(n, network, rng.randint(1, lines))

    @property
    def text(self) -> str:
        """The program."""
        return "\n".join(self.texts) + "\n"

    def tile(self, n: int) -> str:
        """What selects a tile."""
        x, y = self.places[n]
        return f".tile {x}, {y}" + (f", {self.chips[n]}" if self.chips[n] else "")

    def queue(self, n: int, network: int, lines: int) -> None:
        """Lines of one network of a tile, which counts its answers in a semaphore of its own."""
        rng, own = self.rng, f"s{n}" if network == 0 else f"t{n}"
        self.texts.append(f"@noc{network}")
        answers = 0
        for _ in range(lines):
            wait = f" ${own} >= {rng.randint(1, answers)}" if answers and rng.random() < 0.3 else ""
            if not self.careful and rng.random() < 0.05:
                wait = f" $r{n} >= {rng.randint(1, 3)}"
            line, posts = self.line(n, network)
            if self.taking and rng.random() < 0.3:
                how = rng.choice((f"-= {rng.randint(1, 3)}", f"= {rng.randint(0, 4)}"))
                self.texts.append(f"NOC_NOP ${rng.choice((own, f'r{n}'))} {how}")
            if line.startswith("NOC_INC "):
                line = line.replace("NOC_INC", f"NOC_INC{wait}")
                wait = ""
            self.texts.append(line + wait + (f" ${own} += {posts}" if posts else ""))
            answers += posts

    def line(self, n: int, network: int) -> tuple[str, int]:
        """One line, and how often its answers post."""
        rng = self.rng
        there = [m for m, chip in enumerate(self.chips) if chip == self.chips[n]]
        other = n if rng.random() < 0.15 else rng.choice(there)
        size = rng.choice(SIZES)
        at = 16 * rng.randint(0, (8192 - size) // 16)
        here = f"{rng.choice('ab')}{n}[{at}:{at + size}]"
        shared = () if self.chips[n] else ("d", "h")  # which are of the first chip
        far = rng.choice((f"a{other}", f"b{other}", *shared)) + f"[{at}:{at + size}]"
        word, mine = f"w{other}[{rng.randint(0, 31)}:]", f"w{n}[{32 + rng.randint(0, 31)}:]"
        word, mine = (f"{t[:-2]}:{int(t[:-2].split('[')[1]) + 1}]" for t in (word, mine))
        kind = rng.randrange(12)
        if kind < 2:
            return f"NOC_READ {here}, {far}", 1
        if kind < 4:
            return f"NOC_WRITE {far}, {here}", 1
        if kind == 4:
            return f"NOC_WRITE_POSTED {far}, {here}", 0
        if kind == 5:
            return f"NOC_INLINE_WRITE {word}, {rng.randint(0, 99)}", 1
        if kind == 6:
            return f"NOC_ATOMIC_INC {word}, {mine}, {rng.randint(1, 9)}", 1
        if kind == 7:
            return f"NOC_ATOMIC_SWAP {word}, {mine}, {rng.randint(1, 9)}", 1
        if kind == 8:
            return "NOC_BARRIER", 0
        if kind == 9:
            return f"NOC_STAMP {mine}", 0
        if kind == 10:
            return f"NOC_INC $r{other}++", 0
        corners, count = self.rectangle(n, network)
        if not count:
            return "NOC_NOP", 0
        posted = rng.random() < 0.4
        line = f"NOC_MULTICAST{'_POSTED' * posted} {0x2000 + at:#x}, {here}, {corners}"
        line += f" Bytes={size}," + f" Major={rng.choice('xy')}, Include={self.include}"
        return line, 0 if posted else count

    def rectangle(self, n: int, network: int) -> tuple[str, int]:
        """Corners in translated coordinates, and how many tiles receive a packet there."""
        rng = self.rng
        columns, rows = sorted(rng.sample(range(8), 2)), sorted(rng.sample(range(10), 2))
        if network:
            columns, rows = columns[::-1], rows[::-1]
        (x0, x1), (y0, y1) = columns, rows
        low, high = sorted((x0, x1)), sorted((y0, y1))
        inside = {
            (WORMHOLE.tensix_columns[x], WORMHOLE.tensix_rows[y])
            for x in range(low[0], low[1] + 1)
            for y in range(high[0], high[1] + 1)
        }
        self.include = rng.choice(("true", "false"))
        count = len(inside) - (self.include == "false" and self.places[n] in inside)
        text = f"X0={18 + x0}, Y0={18 + y0}, X1={18 + x1}, Y1={18 + y1},"
        return text, count
