; test_nki_isa_nc_matmul.py, test_nc_matmul, third example: 16 products of 64x64 by 64x512, four at a time in the
; quarters of the array
.target trn1
.hbm   G     f32[16, 64, 64]   input
.hbm   H     f32[16, 64, 512]  input
.hbm   OUT   f32[16, 64, 512]  output
.hbm   WANT  f32[16, 64, 512]  input
.sbuf  g     f32[128, 16, 64]       ; product i*4 + j in partitions i%2 * 64 on
.sbuf  h     f32[128, 16, 512]
.sbuf  c     f32[128, 16, 512]
.sem   loaded, done, copied, stored
.for n in 0..8
.psum  p{n}  f32[128, 512]
.end

.for i in 0..4
.for j in 0..4
@sync    DmaCopy  g[i%2*64 : +64, i*4 + j], G[i*4 + j]  $loaded += 16
@sync    DmaCopy  h[i%2*64 : +64, i*4 + j], H[i*4 + j]  $loaded += 16
.end
.end
@tensor  EventSemaphore  $loaded >= 512
.for i in 0..4
.for j in 0..4
.for n in (i*4 + j) % 8..(i*4 + j) % 8 + 1
.if i*4 + j >= 8
@tensor  EventSemaphore  $copied >= i*4 + j - 7
.end
@tensor  LoadStationary  g[i%2*64 : +64, i*4 + j], tile_position=[i%2*64, j%2*64], tile_size=[64, 64]
@tensor  MultiplyMoving  p{n}[j%2*64 : +64], h[i%2*64 : +64, i*4 + j], tile_position=[i%2*64, j%2*64], tile_size=[64, 64]  $done++
@vector  TensorCopy  c[j%2*64 : +64, i*4 + j], p{n}[j%2*64 : +64]  $done >= i*4 + j + 1  $copied++
@sync    DmaCopy  OUT[i*4 + j], c[j%2*64 : +64, i*4 + j]  $copied >= i*4 + j + 1  $stored += 16
.end
.end
.end
@sync    EventSemaphore  $stored >= 256

.expect  OUT ~ WANT
