; Two networks of Blackhole are 17 columns and 12 rows of routers, with links of 64 bytes. A core asks
; by the registers of an interface, which are elsewhere than on Wormhole, for 256 bytes of a DRAM and
; sends these on; lines of the other network show that an acknowledged write takes as long to the next
; tile as to the last one: 17 hops of 9 cycles in a row, 12 in a column
.target blackhole
.dram0  weights  u32[64] @ 0x1000 = iota

.tile 16, 11
.l1  there   u32[64]  @ 0x2000 output = zeros
.tile 2, 2
.l1  beside  u32[16]  = zeros
.tile 1, 3
.l1  below   u32[16]  = zeros

.tile 1, 2
.l1   here    u32[64]  @ 0x1000 = zeros
.l1   own     u32[16] @ 0x1200 = zeros
.l1   clock   u32[3]   @ 0x1300 output
.sem  done

.rv B
    li     s0, 0xFFB20000            ; network 0, first initiator
    li     t0, 0x1000
    sw     t0, 0(s0)                 ; NOC_TARG_ADDR_LO: of the DRAM
    li     t1, 0
    sw     t1, 8(s0)                 ; its coordinates: column 0, row 0
    sw     t0, 0xC(s0)               ; NOC_RET_ADDR_LO: of L1
    li     t1, 2 << 6 | 1
    sw     t1, 0x14(s0)              ; column 1, row 2
    sw     zero, 0x1C(s0)            ; NOC_CTRL: a read
    li     t1, 256
    sw     t1, 0x20(s0)              ; NOC_AT_LEN_BE
    lw     t2, 0x208(s0)             ; answered reads
    addi   t2, t2, 1
    li     t1, 1
    sw     t1, 0x40(s0)              ; NOC_CMD_CTRL: start
reads:
    lw     t1, 0x208(s0)
    bne    t1, t2, reads

    li     s1, 0xFFB20800            ; the second initiator, a write
    sw     t0, 0(s1)                 ; from here
    li     t1, 2 << 6 | 1
    sw     t1, 0x8(s1)
    li     t1, 0x2000
    sw     t1, 0xC(s1)
    li     t1, 11 << 6 | 16
    sw     t1, 0x14(s1)                ; to column 16, row 11
    li     t1, 0x12
    sw     t1, 0x1C(s1)                ; a write that is acknowledged
    li     t1, 256
    sw     t1, 0x20(s1)
    li     t1, 1
    sw     t1, 0x40(s1)
writes:
    lw     t1, 0x240(s0)             ; outstanding
    bnez   t1, writes

@noc1
    NOC_STAMP   clock[0:1]
    NOC_WRITE   beside, own   $done++
    NOC_STAMP   clock[1:2]    $done >= 1
    NOC_WRITE   below, own    $done++
    NOC_STAMP   clock[2:3]    $done >= 2

.expect there == weights
.expect clock[1] - clock[0] == 1 + 17 * 9 + 4 * 5 + 1   ; the last: a flit after the header
.expect clock[2] - clock[1] == 1 + 12 * 9 + 4 * 5 + 1
