; the second request waits for the first one's 257 flits, and its initiator is written again
.target wormhole
.tile 4, 1
.l1 b u32[4096] @ 0x8000 = zeros
.tile 1, 1
.l1 a u32[2048] @ 0x4000 = iota
.rv B
    li   s0, 0xFFB20000
    li   s1, 0xFFB20400
    li   t0, 0x4000
    sw   t0, 0(s0)
    sw   t0, 0(s1)
    li   t0, 4 << 4 | 1 << 10
    sw   t0, 0x10(s0)
    sw   t0, 0x10(s1)
    li   t0, 0x8000
    sw   t0, 0xC(s0)
    li   t0, 0xA000
    sw   t0, 0xC(s1)
    li   t0, 2
    sw   t0, 0x1C(s0)
    sw   t0, 0x1C(s1)
    li   t1, 8192
    sw   t1, 0x20(s0)
    sw   t1, 0x20(s1)
    li   t0, 1
    sw   t0, 0x28(s0)
    sw   t0, 0x28(s1)
    sw   t0, 0x28(s1)
