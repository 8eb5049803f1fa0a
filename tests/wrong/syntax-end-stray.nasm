.target trn1
@sync Nop
.end
