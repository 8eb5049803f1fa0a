; Y = X.T by DMA, element by element
.target trn2
.hbm   X  bf16[512, 512]  input = normal(seed=1)
.hbm   Y  bf16[512, 512]  output
@sync    DmaCopy         Y, X.T
