.target wormhole
.l1 o u32[4] @ 0x1000 output = zeros
@t0
.cfg GPR0 = 0x1000 // 16
.cfg GPR4 = 5
    REPLAY Index=2, Count=4, Load=1
    STOREIND MemHierSel=1, Size=1, OffsetHalfReg=4, DataReg=4, AddrReg=0
.expect o[0] == 5
