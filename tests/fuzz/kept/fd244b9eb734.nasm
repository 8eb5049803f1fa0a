.target wormhole
.l1 x fp32[64] input = iota
@t0 SETDMAREG NewValue=16, ResultHalfReg=4
@t0 ATCAS SetVal=9, CmpVal=3, Ofs=3, AddrReg=1, AddrReg=1
