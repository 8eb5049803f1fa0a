.target trn1
.event e
.macro m(a)
Nop
.end
.include "other.nasm"
