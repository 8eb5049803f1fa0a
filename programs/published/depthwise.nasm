; COUNT products of [128,3] float32 tiles on Vector, none of which waits for another: a window of an
; image, at each of its positions, by the filters of 128 channels. Sums of four follow in the kernel.
.target trn1
.const COUNT = 512, WIDTH = 64
.assert COUNT > 0, "COUNT must be at least 1, the products"

.hbm   IMAGE    f32[128, WIDTH + 2]  input = normal(seed=1)
.hbm   FILTERS  f32[128, 3]          input = normal(seed=2)
.hbm   P        f32[128, WIDTH, 3]   output
.sbuf  image    f32[128, WIDTH + 2]
.sbuf  filters  f32[128, 3]
.sbuf  p        f32[128, WIDTH, 3]
.sem   loaded, multiplied, stored

@sync    DmaCopy  image, IMAGE      $loaded += 16
@sync    DmaCopy  filters, FILTERS  $loaded += 16
@vector  EventSemaphore  $loaded >= 32
.for n in 0..COUNT
.const at = n % WIDTH
@vector  TensorTensor  p[:, at], image[:, at : +3], filters, op=multiply
.end
@vector  EventSemaphore                    $multiplied++
@gpsimd  DmaCopy  P, p   $multiplied >= 1  $stored += 16
@gpsimd  EventSemaphore  $stored >= 16
