.target trn1
.sem never
@sync Nop  $never >= 1
