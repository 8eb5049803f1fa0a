; Two chips joined by Ethernet, as an n300 has them. The host writes to a tile of each through the
; queues of the base firmware, lets a tile of the second copy what came to its neighbour, reads the
; copy back, and asks for what no chip has.
.target wormhole

.host  to      u32[40]  input = iota
.host  all     u32[4]   input = [7, 7, 7, 7]
.host  back    u32[40]  output = zeros
.host  word    u32[8]   output = zeros
.host  error   u32[8]   output = zeros

.tile 1, 1                     ; of the first chip
.l1   a    u32[4]   output = zeros
.sem  done
.tile 3, 4, 1                  ; of the second
.l1   b    u32[40]  = zeros
.l1   c    u32[4]   = zeros
.sem  go, copied
.tile 4, 4, 1
.l1   d    u32[40]  = zeros

.tile 3, 4, 1
@noc0
    NOC_WRITE   d, b    $go >= 1  ; the host has written b
    NOC_BARRIER
    NOC_NOP           $copied++

.tile 1, 1
@host
    ETH_WRITE      b, to     $go++        ; crosses the link: 128 and 32 bytes are one block
    ETH_READ       back, d    $copied >= 1
    ETH_BROADCAST  0x80000, all          ; every Tensix tile of both chips
    ETH_WRITE      a, all
    ETH_REQUEST    0x80004, X=4, Y=4, ChipX=1, Flags=RD_REQ
    ETH_REQUEST    0x80004, X=4, Y=4, ChipX=3, Flags=RD_REQ
    ETH_RESPONSE   word
    ETH_RESPONSE   error

.expect back == to
.expect a == 7
.expect word[2] == 7
.expect word[3] == 8                     ; RD_DATA
.expect error[3] == 0x80000008           ; RD_DATA and DEST_UNREACHABLE
