; 1,464 KiB of L1 in a tile: its last 16 bytes, written by thread 0. 64 general registers of 32 bits in each thread.
.target wormhole
.l1  last  u32[4]  @ 1464 * 1024 - 16 output = zeros
@t0
.cfg GPR0 = (1464 * 1024 - 16) // 16
.cfg GPR63 = 0xFFFFFFFF
.cfg GPR62 = 1
    ADDDMAREG  ResultReg=61, LeftReg=63, RightReg=62        ; it wraps round
    STOREIND   MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=61
    STOREIND   MemHierSel=1, Size=1, OffsetIncrement=2, OffsetHalfReg=4, DataReg=63
.cfg GPR2 = 4
.cfg GPR61 = 7
.expect last[0] == 0
.expect last[1] == 0xFFFFFFFF
