.target wormhole
@t0
    SETADCXX  U0=1, X1Val=15, X0Val=0
@t1
    MOVA2D    SrcRow=0, DstRow=0
    SEMPOST   SemaphoreMask=2
@t2
    SEMWAIT   BlockMask=0x4, SemaphoreMask=2, ConditionMask=1
    PACR      PackSel=1, Last=1
