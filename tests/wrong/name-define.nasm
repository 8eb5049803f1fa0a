; -D M=3 -D n=4
.target trn1
.const N = 512
@sync Nop
