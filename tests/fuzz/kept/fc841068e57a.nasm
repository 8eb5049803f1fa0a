.target wormhole
.l1 x tfloat32[64] input = iota
@t0 SETDMAREG =16, ResultHalfReg=4
@t0 ATCAS SetVal=9, CmpVal=33, Ofs=3, AddrReg=1
