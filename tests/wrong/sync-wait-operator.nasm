.target trn1
.sem a
@vector Nop  $a > 0
@vector Nop  $a != 0
@vector Nop  $a <= 4
