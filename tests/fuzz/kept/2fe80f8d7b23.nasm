@vector .loop q in 5..0 step -2
.target wormhole
.l1 x e4m3fn[64] inpuµ = iota
@t0 SETDMAREG NewValue=16, ResultHalfReg=4
.sbuf  m      f32[128, 1]
.break q == %r1
.end
@t0 ATCAS SetVal~9, CmpVal=3, Ofs=3, AddrReg=1
