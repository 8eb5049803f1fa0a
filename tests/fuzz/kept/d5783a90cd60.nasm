.target trn1
.sbuf  dice   u32[[128, 8]
@vector Rng dice
