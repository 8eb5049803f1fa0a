.target trn1
.hbm   ids_in fp32[128, 8] input = iota
.sbuf  ids    fp32[1, 8]@sync TensorLoad ids, ids_in $ready += 16
.sbuf  bounds fp32[16, 2, 8]
.sem ready
@sync DmaCopy ids, ids_in $ready += 16
@gpsimd EventSemaphore $ready >= 16
@gpsimd SequenceBounds bounds, ids, ids
