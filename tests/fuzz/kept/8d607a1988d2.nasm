.target wormhole
.loop %r9 in %r8..3
.l1 x u16[64] input = iota
@t0 SETDMAREG NewValue=16, ResultHalfReg=4
@t0 ATCAS SetVal=9, CmpVal=3, Ofs=3, AddrReg=1
.break %r1 > 2
.end
