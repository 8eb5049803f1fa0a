.target trn1
.sem done
@sync Nop  $done >= 1
@sync Nop  $done++
