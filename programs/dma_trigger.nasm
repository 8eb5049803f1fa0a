; Y = X * gain + shift, with transfers that are prepared before the run
; Shows: `.dma` blocks, and that an engine which has finished can start the next transfer itself.
;
; A DMA engine works through descriptors, which say what goes where. A `.dma` block has them written
; before the run, for as many moves as it lists; DmaTrigger rings them, which takes an engine a few
; nanoseconds. However many moves there are, each of the 16 DMA engines posts once.
.target trn1
.const P = 128, N = 256, HALF = N // 2

.hbm   X       f32[P, N]     input = normal(seed=7)
.hbm   GAIN    f32[P, 1]     input = random(seed=8)
.hbm   SHIFT   f32[P, 1]     input = random(seed=9)
.hbm   Y       f32[P, N]     output

.sbuf  x0      f32[P, HALF]
.sbuf  x1      f32[P, HALF]
.sbuf  gain    f32[P, 1]
.sbuf  shift   f32[P, 1]

.dma load
    gain  <- GAIN
    shift <- SHIFT
    x0    <- X[:, :HALF]
    x1    <- X[:, HALF:]
.end
.dma store0 queue=1              ; the halves leave by two rings, side by side
    Y[:, :HALF] <- x0
.end
.dma store1 queue=2
    Y[:, HALF:] <- x1
.end

; One engine does it all. Behind a TensorScalar its queue comes to the trigger at once, but what a DMA
; reads is in no order with what engines write: without 'after' it could read what is not written yet.
@vector
    DmaTrigger    load                                                                                 post loaded
.for h in 0..2
    TensorScalar  x{h}, x{h}, op0=multiply, operand0=gain, op1=add, operand1=shift  after loaded       post scaled[h]
    DmaTrigger    store{h}                                                          after scaled[h]
.end
    .drain

; Vector rounds to float32 after the product and after the sum.
.expect  Y ~ X * GAIN + SHIFT   rtol=1e-6 atol=1e-6
