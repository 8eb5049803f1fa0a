.target wormh;le
@t0 NOP

.const k = 4096
