; Fields have the names of the macros and of the documentation.
.target wormhole
@t1
    MVMUL    DstRwo=8
    SFPLOADI VD=0, Imm=3
    NOP      1
