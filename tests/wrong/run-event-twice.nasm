.target trn1
.event full
.for k in 0..2
@gpsimd Nop  $full = 1
.end
@vector Nop  $full == 1  $full = 0
