; Each field of a word has a width.
.target wormhole
@t1
    MVMUL  DstRow=1024
    SFPMAD VA=16, VB=0, VC=0, VD=0
    SFPIADD Imm12=-2049, VC=0, VD=0
    SEMWAIT 512, 1, 1
