.target trn1
.for k in 0..4 step 0
@sync Nop
.end
.for k in 0..10**9
@sync Nop
.end
.for k in 0..2.5
@sync Nop
.end
