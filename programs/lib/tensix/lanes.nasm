; Constants of the vector unit of Tensix, and a tile for it, on every generation. Thread 1 computes. What includes this
; includes copy_tile() too.

; load_number(register, bits): a constant of 32 bits in all lanes.
.macro load_number(register, bits)
    @t1
    SFPLOADI  VD=register, Mod0=LOWER, Imm16=bits & 0xFFFF
    SFPLOADI  VD=register, Mod0=UPPER, Imm16=bits >> 16
.end

; constant(register, bits): the same in LReg[11] to LReg[14], by way of LReg[0].
.macro constant(register, bits)
    load_number(0, bits)
    @t1
    SFPCONFIG  VD=register
.end

; sfpu_tile(): the tile in SrcA to Dst, and the vector unit waits for that. Modifier 2 goes on by 32 elements, 3 stays.
; What comes next loads with AddrMod=3 and stores with AddrMod=2, 32 times.
;   wide  1 for a Dst of 32 bits, as for copy_tile
.macro sfpu_tile(wide=0)
    @t1
    .cfg ADDR_MOD_DST_SEC2_DestIncr = 2                                      ; other columns, or four rows on
    copy_tile(wide=wide)
    STALLWAIT  BlockMask=STALL_SFPU, ConditionMask=MATH
.end
