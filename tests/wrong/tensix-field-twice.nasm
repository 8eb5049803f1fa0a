; A field of the documentation is given together with the operand that it is a part of.
.target wormhole
@t1
    MVMUL clear_dvalid=1, FlipSrcA=1
    ELWADD 0, 0, FlipSrcB=1
