"""What fields are for, a sentence each, by their names; a row may say otherwise of its own.

After the ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

_TEXT: Final = """
VA: the register with the first factor
VB: the register with the second factor, or what a shift takes its amount from
VC: a source register
VD: the destination register; of some instructions also a source
Mod0: the mode
Mod1: the mode
AddrMod: how counters move after it
DstRow: a row of Dst, to which the counters and offsets of the thread are added
SrcRow: a row of SrcA or SrcB, to which the counter of the thread is added
Imm10: an address in Dst, to which the counters and offsets of the thread are added
FlipSrcA: 1 gives the bank of SrcA back to the unpackers, and continues with the other
FlipSrcB: 1 gives the bank of SrcB back to the unpackers, and continues with the other
BroadcastSrcBRow: 1 uses one row of SrcB for all rows
BroadcastSrcBCol0: 1 uses column 0 of SrcB for all columns
AddDst: 1 adds the result to Dst, 0 overwrites it
UseDst32bLo: 1 moves the low half of numbers of 32 bits
Move4Rows: 1 moves four rows, 0 one
Move8Rows: 1 moves eight rows, 0 one
Broadcast1RowTo8: 1 copies one row to eight
BroadcastCol0: 1 uses column 0 for all columns
ResultReg: the general register of the thread that gets the result
LeftReg: the general register with the left operand
RightReg: the general register with the right operand
RightImm6: the right operand itself
RightImm5: the right operand itself
AddrReg: the general register with an address, in units of 16 bytes
DataReg: the general register with the data
InOutReg: the general register with what is added, which gets the old value
InputReg: the general register that is moved
PK: 1 changes counters of the packers
U1: 1 changes counters of unpacker 1
U0: 1 changes counters of unpacker 0
ThreadOverride: 0 changes counters of the issuing thread, n those of thread n - 1
Channel: 0 for the channel of the source, 1 for that of the destination
XYZW: which counter: X, Y, Z or W
Mask: which bits are changed
NewValue: the new value
NewMax: the maximum
SemaphoreMask: which semaphores: bit n is semaphore n
BlockMask: which instructions wait at the gate; 0 means those of the matrix unit
ConditionMask: what they wait for: while any of these holds
OffsetHalfReg: the half of a general register with an offset in bytes: 2n low, 2n + 1 high
OffsetIncrement: what is added to the offset afterwards
Ofs: which word of the 16 bytes
Index4: the word of the configuration
CfgIndex: the word of the configuration
Is128Bit: 1 writes four words from four registers
Imm16: the number itself
Imm12: the number itself
Imm8: the number itself
Imm5: the number itself
Imm2: bit 0 says whether lanes use their flags, bit 1 what the flags are
Imm1: the bit itself
Index: where it begins, or which one
WhichUnpacker: 0 unpacks to SrcA or Dst, 1 to SrcB
ResultHalfReg: the half of a general register that is set: 2n low, 2n + 1 high
ResultSize: how many bits are set
WhichPackers: of which packers
InputSource: which of what packers keep
InputHalfReg: which half of it
SizeSel: how many bits are moved
ThConCfgIndex: the word of the configuration, counted from the first of ThCon
OverrideThread: 1 changes the counter of ThreadSel, 0 that of the issuing thread
Shift8: how many bytes the register is shifted right first
ThreadSel: the thread whose counter is changed
ADCSel: whose counter: unpacker 0, unpacker 1, packers
Cr: 1 changes the carriage return, 0 the counter
Size: how many bytes are moved
AddrLo: the address, in words from 0xFFB00000 on
IntWidth: how wide the integer is
NoIncr: 1 only waits
IncrLog2: the logarithm of what is added
SingleDataReg: 1 takes all data from one register
SetVal: the value that the word gets
CmpVal: the value that the word must have
StoreToSrcB: 1 stores to SrcB, 0 to SrcA
Y1: 1 changes Y of channel 1
X1: 1 changes X of channel 1
Y0: 1 changes Y of channel 0
X0: 1 changes X of channel 0
W1: 1 changes W of channel 1
Z1: 1 changes Z of channel 1
W0: 1 changes W of channel 0
Z0: 1 changes Z of channel 0
Y1Inc: what is added to Y of channel 1
X1Inc: what is added to X of channel 1
Y0Inc: what is added to Y of channel 0
X0Inc: what is added to X of channel 0
W1Inc: what is added to W of channel 1
Z1Inc: what is added to Z of channel 1
W0Inc: what is added to W of channel 0
Z0Inc: what is added to Z of channel 0
Y1Val: the new Y of channel 1
X1Val: the new X of channel 1: the last element
Y0Val: the new Y of channel 0
X0Val: the new X of channel 0: the first element
W1Val: the new W of channel 1
Z1Val: the new Z of channel 1
W0Val: the new W of channel 0
Z0Val: the new Z of channel 0
MultiContextMode: 1 takes addresses and formats from a context
ContextNumber: which context
ContextADC: the thread whose X and Y counters are used
FlipSrc: 1 gives the bank to the matrix unit once it is full, and continues with the other
AllDatumsAreZero: 1 writes zeros
UseContextCounter: 1 takes the context from a counter, which moves on
RowSearch: 1 unpacks a row that it finds by the tile descriptor
Ch1YInc: what is added to Y of channel 1 afterwards
Ch1ZInc: what is added to Z of channel 1 afterwards
Ch0YInc: what is added to Y of channel 0 afterwards
Ch0ZInc: what is added to Z of channel 0 afterwards
ZeroWrite: 1 writes zeros
PackerMask: which packers: bit n is packer n; 0 means packer 0
OvrdThreadId: 1 uses the counters of the thread that Addr_cnt_context of each packer names
Concat: of compressed data: 1 lets the next one continue its row
Flush: 1 writes out what is buffered
Last: 1 ends the output: what is buffered is written, and the next begins at its address
DstCr: 1 counts from the carriage return of Dst
SrcBCr: 1 counts from the carriage return of SrcB
SrcACr: 1 counts from the carriage return of SrcA
DstCtoCr: 1 counts from the counter of Dst, and sets its carriage return
DstVal: a value for the counter of Dst
SrcBVal: a value for the counter of SrcB
SrcAVal: a value for the counter of SrcA
DstInc: what is added to the counter of Dst
SrcBInc: what is added to the counter of SrcB
SrcAInc: what is added to the counter of SrcA
Fidelity: 1 sets the fidelity phase to 0
Dst: 1 sets the counter of Dst
SrcB: 1 sets the counter of SrcB
SrcA: 1 sets the counter of SrcA
UseDst32b: 1 clears numbers of 32 bits
Revert: 1 marks rows as defined instead
Mode: the mode
NegativeInfSrcA: 1 fills SrcA with minus infinity
SingleBankMatrixUnit: 1 fills the bank of the matrix unit, 0 that of the unpackers
BothBanks: 1 fills both banks
ClearSrcB: 1 fills SrcB
ClearSrcA: 1 fills SrcA
Direction: which way columns move
ShiftInZero: 1 shifts a 0 in, 0 rotates
ArgMax: 1 also keeps which row it was
InvalidateSrcBCache: 1 forgets what is cached of SrcB
KeepReadingSameSrc: 1 stays with the same bank
Reset: 1 gives all banks to the unpackers, and lets every unit begin with bank 0
Template: which template: 0 by a mask, 1 two loops
Count1: the number of rounds of template 0, less one
MaskLo: the lower half of the mask of template 0
MaskHi: the upper half of the mask of template 0
Count: how many instructions; 0 means 64
Exec: 1 executes what is recorded, too
Load: 1 records the instructions that follow, 0 plays recorded ones
StochasticRounding: 1 rounds at random, 0 to the nearest
UseImm5: 1 shifts by Imm5, 0 by VB
MacroIndex: which of the four sequences
VDLo: the low bits of the register that is loaded
VDHi: the high bit of the register that is loaded
Imm9: the high bits of an address in Dst
AddrSel: which half of the memory map
Value10: the value that is written
AddrMid: bits of the address
"""


def _read() -> Iterator[tuple[str, str]]:
    for line in _TEXT.strip().splitlines():
        name, _, meaning = line.partition(": ")
        yield name, meaning


MEANINGS: Final[Mapping[str, str]] = dict(_read())
"""What a field is for, by its name in the documentation."""
