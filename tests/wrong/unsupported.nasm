.target trn1
.macro m(a)
Nop
.end
.include "other.nasm"
