; Flags of lanes, and a stack of eight of them: pushed by SFPPUSHC, taken back by SFPPOPC.
.target wormhole
@t1
    SFPENCC   Mod1=EI|RI, Imm2=3                            ; flags are used, and set
.for n in 0..8
    SFPPUSHC
.end
.for n in 0..8
    SFPPOPC
.end
.expect cycles(t1) <= 20
