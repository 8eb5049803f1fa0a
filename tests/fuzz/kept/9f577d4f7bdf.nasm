.target[trn3
.hbm   A      bf16 128, 8] input = random(seed=1)
.sbuf  a      bf16[128, 8]
.dma load
    a <- A
.end
@tensor DmaTrigger load
