.target trn1
.hbm   a_in   bf16[128, 128] input = random(se]
.sem ready
@sync DmaCopy a, a_in $ready += 16
@gpsimd EventSemaphore $ready >= 16
@gpsimd DevicePrint a, "a ="
