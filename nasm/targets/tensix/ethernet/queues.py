"""One queue of the base firmware, in the L1 of its tile: four commands, indices modulo eight."""

from __future__ import annotations

from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.ethernet.commands import (
    BLOCK_BYTES,
    BUFFERS,
    COMMAND_BYTES,
    COMPLETIONS,
    CONTENTS,
    COUNTERS,
    INDEX_MODULUS,
    POINTER,
    READ_INDEX,
    SLOTS,
    SUBMISSIONS,
    WRITE_INDEX,
    RoutingCommand,
)
from nasm.targets.tensix.ethernet.tile_memories import JoinedChip


class TileWords:
    """The words of one tile."""

    def __init__(self, chip: JoinedChip, tile: TilePlace) -> None:
        self.chip, self.tile = chip, tile

    def word(self, address: int) -> int:
        """The word at an address."""
        return int.from_bytes(self.chip.read(self.tile, address, 4), "little")

    def put(self, address: int, value: int, size: int = 4) -> None:
        """Store a number of so many bytes."""
        self.chip.write(self.tile, address, value.to_bytes(size, "little"))


class CommandQueue:
    """A queue at an address of a tile. Each index has one writer: that side alone calls it."""

    def __init__(self, words: TileWords, address: int) -> None:
        self.words, self.address = words, address

    @property
    def write_index(self) -> int:
        """Where the next command is pushed, 0 to 7."""
        return self.words.word(self.address + WRITE_INDEX) % INDEX_MODULUS

    @property
    def read_index(self) -> int:
        """Where the next command is popped, 0 to 7."""
        return self.words.word(self.address + READ_INDEX) % INDEX_MODULUS

    @property
    def occupancy(self) -> int:
        """How many commands there are; 4 is full."""
        return (self.write_index - self.read_index) % INDEX_MODULUS

    @property
    def full(self) -> bool:
        """Whether there is no room."""
        return self.occupancy >= SLOTS

    def slot(self, index: int) -> int:
        """The address of the command that an index means."""
        return self.address + CONTENTS + index % SLOTS * COMMAND_BYTES

    def at(self, index: int) -> RoutingCommand:
        """The command that an index means."""
        words = self.words
        return RoutingCommand.unpack(words.chip.read(words.tile, self.slot(index), COMMAND_BYTES))

    def fill(self, index: int, command: RoutingCommand) -> None:
        """Store a command where it is, without a move of an index."""
        self.words.chip.write(self.words.tile, self.slot(index), command.pack())

    def push(self, command: RoutingCommand) -> int:
        """Store a command and move the write index; returns the index that it has."""
        index = self.write_index
        self.fill(index, command)
        self.words.put(self.address + WRITE_INDEX, (index + 1) % INDEX_MODULUS)
        return index

    def pop(self) -> None:
        """Move the read index."""
        self.words.put(self.address + READ_INDEX, (self.read_index + 1) % INDEX_MODULUS)

    def clear(self) -> None:
        """Pop all that there is."""
        while self.occupancy:
            self.pop()

    def count(self, name: str, by: int = 1) -> None:
        """Raise one of the counters at the start."""
        address = self.address + 4 * COUNTERS.index(name)
        self.words.put(address, (self.words.word(address) + by) % (1 << 32))

    @property
    def counters(self) -> dict[str, int]:
        """The counters by name."""
        return {
            name: self.words.word(self.address + 4 * place) for place, name in enumerate(COUNTERS)
        }


class FirmwareQueues:
    """The structure that the pointer of an Ethernet tile names: queues, buffers, latencies."""

    def __init__(self, chip: JoinedChip, tile: TilePlace) -> None:
        self.words = TileWords(chip, tile)
        self.address = self.words.word(POINTER)
        self.submissions = CommandQueue(self.words, self.address + SUBMISSIONS)
        self.completions = CommandQueue(self.words, self.address + COMPLETIONS)

    def buffer(self, index: int) -> int:
        """The address of the 1 KiB that the command of an index may use."""
        return self.address + BUFFERS + index % SLOTS * BLOCK_BYTES

    def read(self, index: int, count: int) -> bytes:
        """The first bytes of a buffer."""
        return self.words.chip.read(self.words.tile, self.buffer(index), count)

    def write(self, index: int, data: bytes) -> None:
        """Fill a buffer from its start."""
        self.words.chip.write(self.words.tile, self.buffer(index), data)

    def latency(self, number: int) -> int:
        """A latency counter: cycles between a request and its response."""
        return self.words.word(self.address + 8 * number) | (
            self.words.word(self.address + 8 * number + 4) << 32
        )
