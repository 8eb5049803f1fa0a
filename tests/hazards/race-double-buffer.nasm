; race: with two buffers round k may load when round k - 2 has been read, not before
.target trn2
.const N = 4
.hbm   X  f32[128, N * 64]  input = iota
.hbm   Y  f32[128, N * 64]  output
.sbuf  u  f32[128, N * 64]
.sem   copied, stored
.for i in 0..2
.sbuf  t{i}  f32[128, 64]
.sem   loaded{i}
.end
.for k in 0..N
.const I = k % 2
@sync    DmaCopy         t{I}, X[:, k*64 : +64]   $copied >= max(0, k - 2)   $loaded{I} += 16
;= @sync    DmaCopy         t{I}, X[:, k*64 : +64]   $copied >= max(0, k - 1)   $loaded{I} += 16
@vector  TensorCopy      u[:, k*64 : +64], t{I}   $loaded{I} >= 16 * (k // 2 + 1)   $copied++
.end
@gpsimd  DmaCopy         Y, u            $copied >= N     $stored += 16
@gpsimd  EventSemaphore                  $stored >= 16
