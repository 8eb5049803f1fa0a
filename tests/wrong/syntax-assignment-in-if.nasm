.target trn1
.const N = 4
.if N = 4
@sync Nop
.end
