.target trn1
@sync Nop  $done++
.sem done
