; deadlock: the unpack of SrcA ends without handing its bank over
.target wormhole
@t0 UNPACR_NOP Unpack_block_selection=0, NoOp=1
;= @t0 UNPACR_NOP Unpack_block_selection=0, NoOp=0x41
@t0 UNPACR_NOP Unpack_block_selection=1, NoOp=0x41
@t1 MVMUL      DstRow=0
