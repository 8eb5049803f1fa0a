; C[M,N] = A.T @ B for any size, with loops at run time: 23 instruction lines, however large M and N are
; Other sizes: neuron-nasm run programs/matmul_credits.nasm -D M=1024 -D K=1024 -D N=4096
;
; What matmul_loops.nasm does with moments, with semaphores written by hand.
;
; Whoever fills a buffer takes a credit for it, and whoever has emptied it gives that back. A counter
; is then the same at the end of a round as at its start, and no round has to know its number. Credits
; last from one column to the next: nobody waits until all pieces of a column are done.
.target trn2
.const M = 512, K = 512, N = 2048
.const TM = 128, TK = 128, TN = 512
.const MT = M // TM, KT = K // TK, NT = N // TN

.assert M > 0 and M % (2*TM) == 0, "M must be a multiple of 256: two pieces are one round"
.assert K > 0 and K % TK == 0, "K must be a multiple of 128, the partitions of a tile"
.assert N > 0 and N % (2*TN) == 0, "N must be a multiple of 1024: two columns are one round"

.hbm   A  bf16[K, M]  input = normal(seed=1)
.hbm   B  bf16[K, N]  input = normal(seed=2)
.hbm   C  f32[M, N]   output

.for i in 0..2
.sbuf  a{i}    bf16[TK, KT, TM]      ; step k of a block is a[:, k, :]
.sbuf  b{i}    bf16[TK, KT, TN]
.psum  acc{i}  f32[TM, TN] @ bank i
.sbuf  c{i}    f32[TM, TN]
.sem   a_in{i}, b_in{i}, full{i}, copied{i}           ; what has come
.sem   a_free{i}, b_free{i}, acc_free{i}, c_free{i}   ; credits: what may be filled
    @sync    EventSemaphore                                  give $a_free{i}
    @scalar  EventSemaphore                                  give $b_free{i}
    @tensor  EventSemaphore                                  give $acc_free{i}
    @vector  EventSemaphore                                  give $c_free{i}, 16
.end

.loop n in 0..NT step 2
.for j in 0..2
    @scalar  EventSemaphore                                  take $b_free{j}
    @scalar  DmaCopy         b{j}, B.reshape(KT, TK, N).permute(1, 0, 2)[:, :, (n + j)*TN : +TN], queue=1  $b_in{j} += 16
    @tensor  EventSemaphore                                  take $b_in{j}, 16
.loop m in 0..MT step 2
.for i in 0..2
    @sync    EventSemaphore                                  take $a_free{i}
    @sync    DmaCopy         a{i}, A.reshape(KT, TK, M).permute(1, 0, 2)[:, :, (m + i)*TM : +TM]           $a_in{i} += 16

    @tensor  EventSemaphore                                  take $acc_free{i}
    @tensor  EventSemaphore                                  take $a_in{i}, 16
.for k in 0..KT
    @tensor  LoadStationary  a{i}[:, k, :]
    @tensor  MultiplyMoving  acc{i}, b{j}[:, k, :], accumulate=(k > 0)
.end
    @tensor  EventSemaphore                                  give $a_free{i}
    @tensor  EventSemaphore                                  give $full{i}

    @vector  EventSemaphore                                  take $c_free{i}, 16   ; a store gives 16
    @vector  TensorCopy      c{i}, acc{i}                    take $full{i}
    @vector  EventSemaphore                                  give $acc_free{i}
    @vector  EventSemaphore                                  give $copied{i}

    @gpsimd  EventSemaphore                                  take $copied{i}
    @gpsimd  DmaCopy         C[(m + i)*TM : +TM, (n + j)*TN : +TN], c{i}                                   $c_free{i} += 16
.end
.end
    @tensor  EventSemaphore                                  give $b_free{j}
.end
.end
.for i in 0..2
    @gpsimd  EventSemaphore                                  $c_free{i} >= 16      ; the last store
.end

; Products of bfloat16 are exact in float32; only the order in which float32 sums them differs.
.expect  C ~ A.T @ B   rtol=1e-5 atol=1e-3
