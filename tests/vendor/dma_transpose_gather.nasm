; test_nki_isa_dma_transpose.py, test_dma_transpose_indirect: rows chosen by an index tile, transposed on their way
.target trn2
.hbm   SRC    u16[64, 4, 128]  input
.hbm   INDEX  u32[32, 1]       input
.hbm   OUT    u16[128, 4, 32]  output
.hbm   WANT   u16[128, 4, 32]  input
.sbuf  idx    u32[32, 1]
.sbuf  out    u16[128, 4, 32]
.sem   loaded, moved, stored

@gpsimd  DmaCopy       idx, INDEX                                $loaded += 16
@gpsimd  DmaTranspose  out, SRC.ap([[512, 32], [128, 4], [1, 128]], vector_offset=idx, indirect_dim=0), axes=[2, 1, 0], dge_mode=swdge  $loaded >= 16  $moved += 16
@gpsimd  DmaCopy       OUT, out           $moved >= 16           $stored += 16
@gpsimd  EventSemaphore                   $stored >= 16
.expect  OUT == WANT
