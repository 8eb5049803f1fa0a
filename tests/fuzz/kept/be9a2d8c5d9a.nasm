.target wormhole
@t0 S@MINIT NewMax=2, NewValue=1, SemaphoreMask=1
@t0 SEMPOST SemaphoreMask=1
