.target trn1
.hbm   a_in   bf16[128, 9]  input = iota
.sbuf  a      bf16[128, 8]
.sem load
@sync DmaCopy a, a_in $ready += 16
@gpsimd EventSemaphore $ready >= 16
@gpsimd DevicePrint a, "a ="
