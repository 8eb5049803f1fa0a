.target trn1
.target trn2
@sync Nop
