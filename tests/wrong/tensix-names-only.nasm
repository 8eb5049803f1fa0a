; An instruction of which only the name is public.
.target wormhole
@t0
    NOP
    CONV3S1 dst=4
