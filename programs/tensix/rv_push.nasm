; RISC-V code of two cores of a tile: B releases T1 from reset, sends it a count and waits for
; its answer; T1 pushes as many Tensix instructions as it was sent, and answers when all are done.
.target wormhole
.l1  answer  u32[4]  @ 0x4000 output = zeros

.cfg SEM1_max = 15
.cfg RISCV_DEBUG_REG_SOFT_RESET_0 = 1 << 13    ; T1 is held in reset

.rv B
    li    s0, 0xFFB121B0     ; the register of soft resets
    sw    zero, 0(s0)
    li    s1, 0xFFEC2000     ; the mailboxes of B and T1
    li    a0, 5
    sw    a0, 0(s1)
    lw    a1, 0(s1)          ; waits for the answer
    li    t0, 0x4000
    sw    a1, 0(t0)

.rv T1
    lui   sp, 0xFFB00        ; the local memory, of 2 KiB
    addi  sp, sp, 0x400
    li    s1, 0xFFEC0000
    lw    a0, 0(s1)          ; waits for the count
    call  push
    li    t0, 0xFFE80004     ; TTSync: until the thread has done everything
    sw    zero, 0(t0)
    lw    t1, 0(t0)
    andi  t1, t1, 0
    li    t2, 0xFFE80024     ; semaphore 1
    lw    a0, 0(t2)
    sw    a0, 0(s1)
stay:
    j     stay

push:
    addi    sp, sp, -16
    sw      ra, 12(sp)
again:
    ttinsn  0xA4000008       ; SEMPOST of semaphore 1
    addi    a0, a0, -1
    bnez    a0, again
    lw      ra, 12(sp)
    addi    sp, sp, 16
    ret

.expect  answer[0] == 5
