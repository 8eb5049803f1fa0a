.target trn1
.macro outer(a)
    .macro inner(b)
    .end
.end
.for k in 0..4
    .include "other.nasm"
.end
