; test_nki_isa_partition_reduce.py, test_par_reduce_nd_b: the same of four tiles
.target trn1
.hbm   A     f32[4, 128, 32, 8]  input
.hbm   B     f32[4, 1, 32, 8]    output
.hbm   WANT  f32[4, 1, 32, 8]    input
.sbuf  a     f32[128, 4, 32, 8]
.sbuf  b     f32[1, 4, 32, 8]
.sem   loaded, done, stored
.for i in 0..4
@sync    DmaCopy                a[:, i], A[i]                                        $loaded += 16
@gpsimd  TensorPartitionReduce  b[:, i], a[:, i], op=add   $loaded >= (i + 1) * 16   $done++
@sync    DmaCopy                B[i], b[:, i]              $done >= i + 1            $stored += 16
.end
@sync    EventSemaphore                                    $stored >= 64
.expect  B ~ WANT
