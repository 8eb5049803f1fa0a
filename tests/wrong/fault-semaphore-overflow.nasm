.target trn1
.sem s
@sync Nop   $s = 2**31 - 1
@sync Nop   $s++
