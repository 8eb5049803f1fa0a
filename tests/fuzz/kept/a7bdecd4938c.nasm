@vector .loop q in 5..0 step -2
.target wormhole
.l1 x fp32[64] inpuµ = iota
@t0 SETDMAREG NewValue=16, ResultHalfReg=4
.break q == %r1
.end
@t0 ATCAS SetVal=9, CmpVal=3, Ofs=3, AddrReg=1
