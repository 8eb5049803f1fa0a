; RISC-V code of the five cores of a tile of Blackhole: each adds to one word of L1, which no other
; core divides, and counts the bits of what it has got; B waits for all of them.
.target blackhole
.l1  counter  u32[1]  @ 0x4000 inout = zeros
.l1  bits     u32[5]  @ 0x4020 output = zeros
.l1  cycles   u32[1]  @ 0x4040 output = zeros

.macro adds(number)
    li       a1, 0x4000
    li       a2, 1
    amoadd_w a0, a2, (a1)            ; Zaamo: what was there, once the word is one more
    cpop     a0, a0                  ; Zbb
    li       a3, number
    sh2add   a3, a3, a1              ; Zba: a3 = a1 + 4 * number
    sw       a0, 0x20(a3)
.end

.rv B
    adds(0)
all:
    lw       a0, 0(a1)
    fence                            ; and flushes the cache of the core
    addi     a0, a0, -5
    bnez     a0, all
    csrr     t0, mcycle              ; Zicsr
    sw       t0, 0x40(a1)
.rv NC
    adds(1)
.rv T0
    adds(2)
.rv T1
    adds(3)
.rv T2
    adds(4)

.expect counter[0] == 5
.expect sum(bits) == 5               ; of 0 to 4, in whatever order they came
.expect cycles[0] > 12
