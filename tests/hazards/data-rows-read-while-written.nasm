; data: the vector unit loads rows that the matrix unit has just begun to write
.target wormhole
@t0 SETDVALID FlipSrcA=1, FlipSrcB=1
@t1 MVMUL     DstRow=0
;+ @t1 STALLWAIT BlockMask=0x100, ConditionMask=0x80
@t1 SFPLOAD   VD=0, Mod0=2
