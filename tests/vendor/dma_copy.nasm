; test_nki_isa_dma_copy.py, test_tensor_copy: HBM to HBM
.target trn1
.hbm   A  f32[256, 1]  input
.hbm   B  f32[256, 1]  output
.hbm   WANT  f32[256, 1]  input
.sem   moved
@sync  DmaCopy  B, A    $moved += 16
@sync  EventSemaphore   $moved >= 16
.expect  B == WANT
