; Nobody writes the word that ATCAS waits for.
.target wormhole
.l1 lock u32[4] input = zeros
@t0
    ATCAS SetVal=1, CmpVal=2, Ofs=0, AddrReg=1
@t1
    ADDDMAREG ResultReg=3, RightReg=2, LeftReg=1
