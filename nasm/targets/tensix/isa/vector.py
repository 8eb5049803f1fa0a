"""The vector unit."""

from nasm.targets.tensix.isa.setups import FLAGS, IN_DST, LANES, SAVED_FLAGS, TABLE
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.lanes import (
    arithmetic,
    configuration,
    conversions,
    dst_access,
    float_fields,
    integers,
    macros,
    permutations,
    predication,
    tables,
)

UNIT = Family(__name__)

SFPLOAD = UNIT.row(
    "SFPLOAD", dst_access.SFPLOAD, setup=IN_DST, example="SFPLOAD VD=2, Mod0=2, Imm10=0"
)
SFPLOADI = UNIT.row("SFPLOADI", conversions.SFPLOADI, example="SFPLOADI VD=0, Mod0=0, Imm16=0x4000")
SFPSTORE = UNIT.row(
    "SFPSTORE", dst_access.SFPSTORE, setup=LANES, example="SFPSTORE VD=0, Mod0=2, Imm10=0"
)
SFPLUT = UNIT.row(
    "SFPLUT",
    tables.SFPLUT,
    setup="SFPLOADI VD=0, Mod0=2, Imm16=0x1020\nSFPLOADI VD=3, Mod0=0, Imm16=0x3f00",
    example="SFPLUT VD=2, Mod0=4",
)
SFPMULI = UNIT.row("SFPMULI", arithmetic.SFPMULI, setup=LANES, example="SFPMULI Imm16=0x4040, VD=0")
SFPADDI = UNIT.row("SFPADDI", arithmetic.SFPADDI, setup=LANES, example="SFPADDI Imm16=0x4040, VD=0")
SFPDIVP2 = UNIT.row(
    "SFPDIVP2", float_fields.SFPDIVP2, setup=LANES, example="SFPDIVP2 Imm8=1, VC=0, VD=2, Mod1=1"
)
SFPEXEXP = UNIT.row("SFPEXEXP", float_fields.SFPEXEXP, setup=LANES, example="SFPEXEXP VC=0, VD=2")
SFPEXMAN = UNIT.row("SFPEXMAN", float_fields.SFPEXMAN, setup=LANES, example="SFPEXMAN VC=1, VD=2")
SFPIADD = UNIT.row(
    "SFPIADD", integers.SFPIADD, setup=LANES, example="SFPIADD Imm12=3, VC=0, VD=2, Mod1=5"
)
SFPSHFT = UNIT.row(
    "SFPSHFT", integers.SFPSHFT, setup=LANES, example="SFPSHFT Imm12=-4, VD=0, Mod1=1"
)
SFPSETCC = UNIT.row("SFPSETCC", predication.SFPSETCC, setup=FLAGS, example="SFPSETCC VC=15, Mod1=6")
SFPMOV = UNIT.row("SFPMOV", configuration.SFPMOV, setup=LANES, example="SFPMOV VC=0, VD=2, Mod1=1")
SFPABS = UNIT.row("SFPABS", integers.SFPABS, setup=LANES, example="SFPABS VC=1, VD=2, Mod1=1")
SFPAND = UNIT.row("SFPAND", integers.SFPAND, setup=LANES, example="SFPAND VC=0, VD=1")
SFPOR = UNIT.row("SFPOR", integers.SFPOR, setup=LANES, example="SFPOR VC=0, VD=1")
SFPNOT = UNIT.row("SFPNOT", integers.SFPNOT, setup=LANES, example="SFPNOT VC=0, VD=2")
SFPLZ = UNIT.row("SFPLZ", integers.SFPLZ, setup=LANES, example="SFPLZ VC=0, VD=2")
SFPSETEXP = UNIT.row(
    "SFPSETEXP",
    float_fields.SFPSETEXP,
    setup=LANES,
    example="SFPSETEXP Imm8=129, VC=1, VD=2, Mod1=1",
)
SFPSETMAN = UNIT.row(
    "SFPSETMAN",
    float_fields.SFPSETMAN,
    setup=LANES,
    example="SFPSETMAN Imm12=0x400, VC=1, VD=2, Mod1=1",
)
SFPMAD = UNIT.row(
    "SFPMAD", arithmetic.SFPMAD, setup=LANES, example="SFPMAD VA=0, VB=1, VC=10, VD=2"
)
SFPADD = UNIT.row(
    "SFPADD", arithmetic.SFPADD, setup=LANES, example="SFPADD VA=10, VB=0, VC=1, VD=2"
)
SFPMUL = UNIT.row("SFPMUL", arithmetic.SFPMUL, setup=LANES, example="SFPMUL VA=0, VB=1, VC=9, VD=2")
SFPPUSHC = UNIT.row("SFPPUSHC", predication.SFPPUSHC, setup=FLAGS, example="SFPPUSHC")
SFPPOPC = UNIT.row("SFPPOPC", predication.SFPPOPC, setup=SAVED_FLAGS, example="SFPPOPC")
SFPSETSGN = UNIT.row(
    "SFPSETSGN", float_fields.SFPSETSGN, setup=LANES, example="SFPSETSGN Imm1=1, VC=0, VD=2, Mod1=1"
)
SFPENCC = UNIT.row("SFPENCC", predication.SFPENCC, example=FLAGS)
SFPCOMPC = UNIT.row("SFPCOMPC", predication.SFPCOMPC, setup=SAVED_FLAGS, example="SFPCOMPC")
SFPTRANSP = UNIT.row("SFPTRANSP", permutations.SFPTRANSP, setup=LANES, example="SFPTRANSP")
SFPXOR = UNIT.row("SFPXOR", integers.SFPXOR, setup=LANES, example="SFPXOR VC=0, VD=1")
SFP_STOCH_RND = UNIT.row(
    "SFP_STOCH_RND",
    conversions.SFP_STOCH_RND,
    setup="SFPLOADI VD=0, Mod0=0, Imm16=0x4000\nSFPLOADI VD=0, Mod0=10, Imm16=0x9000",
    example="SFP_STOCH_RND VC=0, VD=2, Mod1=1",
)
SFPNOP = UNIT.row("SFPNOP", configuration.SFPNOP)
SFPCAST = UNIT.row(
    "SFPCAST",
    conversions.SFPCAST,
    setup="SFPLOADI VD=0, Mod0=2, Imm16=7",
    example="SFPCAST VC=0, VD=2",
)
SFPCONFIG = UNIT.row("SFPCONFIG", configuration.SFPCONFIG, setup=LANES, example="SFPCONFIG VD=11")
SFPSWAP = UNIT.row(
    "SFPSWAP", permutations.SFPSWAP, setup=LANES, example="SFPSWAP VC=1, VD=0, Mod1=1"
)
SFPLOADMACRO = UNIT.row(
    "SFPLOADMACRO",
    macros.SFPLOADMACRO,
    setup=IN_DST,
    example="SFPLOADMACRO MacroIndex=0, VDLo=2, Mod0=2, Imm9=0",
)
SFPSHFT2 = UNIT.row(
    "SFPSHFT2", permutations.SFPSHFT2, setup=LANES, example="SFPSHFT2 VC=15, VD=2, Mod1=3"
)
SFPLUTFP32 = UNIT.row(
    "SFPLUTFP32", tables.SFPLUTFP32, setup=TABLE, example="SFPLUTFP32 VD=2, Mod1=0"
)
