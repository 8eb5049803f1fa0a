; test_nki_isa_partition_reduce.py, test_par_reduce_nd: the sum over 128 partitions
.target trn1
.hbm   A     f32[128, 32, 4]  input
.hbm   B     f32[1, 32, 4]    output
.hbm   WANT  f32[1, 32, 4]    input
.sbuf  a     f32[128, 32, 4]
.sbuf  b     f32[1, 32, 4]
.sem   loaded, done, stored
@sync    DmaCopy                a, A                           $loaded += 16
@gpsimd  TensorPartitionReduce  b, a, op=add   $loaded >= 16   $done++
@sync    DmaCopy                B, b           $done >= 1      $stored += 16
@sync    EventSemaphore                        $stored >= 16
.expect  B ~ WANT
