; Reads 896 handwritten digits with a trained network: 64 pixels, 32 hidden units with ReLU, 10
; scores; the highest score names the digit. `make demo` runs it and draws what it read.
;
; The images come in 7 tiles of 128. A tile goes through the engines like this:
;
;   @sync     fetches the pixels from device memory      x        [64 pixels, 128 images]
;   @tensor   multiplies by the first layer              hidden   [32 units, 128 images]
;   @scalar   adds the bias, applies ReLU, rounds        h        [32 units, 128 images]
;   @tensor   multiplies by the second layer             product  [128 images, 10 scores]
;   @vector   adds the bias, finds the highest score     best     [128 images, 8 places]
;   @gpsimd   sends scores and digits to device memory
;
; A matmul contracts over the partitions of both its tiles. The first leaves units on partitions,
; which is what the second contracts, so nothing is transposed. In the second the images are the
; stationary tile: each gets a partition, its ten scores side by side, where Vector compares them.
;
; What one engine hands to another exists twice, for even and for odd tiles: while Vector names the
; digits of tile t, Tensor multiplies tile t + 1, and the pixels of tile t + 2 are on their way.
.target trn1
.const IMAGES = 896, PIXELS = 64, UNITS = 32, DIGITS = 10
.const T = 128, TILES = IMAGES // T

; Where the digits and the network come from: data/README.md. An image is a column of `images`.
.hbm   images     bf16[PIXELS, IMAGES]  input = "data/digits.npz:images"
.hbm   labels     i32[IMAGES, 1]        input = "data/digits.npz:labels"   ; for .expect alone
.hbm   W1         bf16[PIXELS, UNITS]   input = "data/digits.npz:w1"
.hbm   B1         f32[UNITS, 1]         input = "data/digits.npz:b1"
.hbm   W2         bf16[UNITS, DIGITS]   input = "data/digits.npz:w2"
.hbm   B2         f32[1, DIGITS]        input = "data/digits.npz:b2"
.hbm   scores     f32[IMAGES, DIGITS]   output
.hbm   predicted  u32[IMAGES, 1]        output

; The network stays on the chip.
.sbuf  w1  bf16[PIXELS, UNITS]
.sbuf  b1  f32[UNITS, 1]             ; one number per partition: what Activation takes as a bias
.sbuf  w2  bf16[UNITS, DIGITS]
.sbuf  b2  f32[T, DIGITS]            ; the same ten on every partition, for TensorTensor

; Two of each of these: tile t uses number t % 2.
.sbuf  x[2]        bf16[PIXELS, T]
.psum  hidden[2]   f32[UNITS, T]
.sbuf  h[2]        bf16[UNITS, T]
.psum  product[2]  f32[T, DIGITS]

; Results are small. Each tile has a place of its own here, so that no store is in anybody's way.
.sbuf  score  f32[T, TILES, DIGITS]
.sbuf  top    f32[T, 8]              ; the 8 highest scores of each image
.sbuf  best   u32[T, TILES, 8]       ; which of the ten they are; the first is the digit

; ------------------------------------------------------------------------------ what comes in
@sync
    DmaCopy  w1, W1                                             post network[0]
    DmaCopy  b1, B1                                             post network[1]
    DmaCopy  w2, W2                                             post network[2]
    DmaCopy  b2, B2.broadcast(T, DIGITS)                        post network[3]   ; one row, T times
.for t in 0..TILES
    ; x[t % 2] is free when the first layer of tile t - 2 has read it
    DmaCopy  x[t % 2], images[:, t*T : +T]     after hidden[t - 2]   post loaded[t]
.end

; ------------------------------------------------------------------------------ the two matmuls
; Between the two layers of a tile comes Scalar. Meanwhile Tensor does the first layer of the next
; tile, so that round t is the first layer of tile t and the second layer of tile t - 1.
@tensor
.for t in 0..TILES + 1
.const i = t % 2, j = (t - 1) % 2
.if t < TILES
    LoadStationary  w1                         after network[0], network[1], network[2], network[3]
    MultiplyMoving  hidden[i], x[i]            after loaded[t]   post hidden[t]
.end
.if t > 0
    ; Vector must have taken the product of tile t - 3, which lies where this one goes
    LoadStationary  h[j]                       after activated[t - 1]
    MultiplyMoving  product[j], w2             after biased[t - 3]   post scored[t - 1]
.end
.end

; ------------------------------------------------------------------------------ bias and ReLU
; h[t % 2] is free as well when hidden is there: Tensor took up the h of tile t - 2 before it began
; with the first layer of tile t.
@scalar
.for t in 0..TILES
    Activation  h[t % 2], hidden[t % 2], op=relu, bias=b1    after hidden[t]   post activated[t]
.end

; ------------------------------------------------------------------------------ the highest score
; Max8 finds the eight highest values, FindIndex8 where they stand. Nothing is said between them: an
; instruction waits by itself for what an earlier one of its own queue is writing.
@vector
.for t in 0..TILES
    TensorTensor    score[:, t, :], product[t % 2], b2, op=add   after scored[t]   post biased[t]
    Max8            top, score[:, t, :]
    MatchValueLoad  top
    FindIndex8      best[:, t, :], score[:, t, :]                                  post named[t]
.end

; ------------------------------------------------------------------------------ what goes out
; Any engine can start a transfer. GpSimd has nothing else to do, so that pixels, which Sync
; fetches, never queue behind results.
@gpsimd
.for t in 0..TILES
    DmaCopy  scores[t*T : +T, :], score[:, t, :]           after named[t]
    DmaCopy  predicted[t*T : +T, :], best[:, t, 0:1]
.end
    .drain

; At least 95 of 100 are read rightly, and the answers are those of the network as it was trained,
; in float32, but for half a point. Its weights are rounded here, to the 8 bits of bfloat16.
.expect  argmax(scores, axis=1) == labels[:, 0]          at_least=0.95
.expect  predicted == labels                             at_least=0.95
.expect  predicted[:, 0] == argmax(scores, axis=1)
.expect  predicted == "data/digits.npz:predicted_float"  at_least=0.995
.expect  scores ~ "data/digits.npz:scores_float"         rtol=0 atol=0.1
