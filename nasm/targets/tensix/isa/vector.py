"""The vector unit."""

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

SFPLOAD = UNIT.row("SFPLOAD", dst_access.SFPLOAD)
SFPLOADI = UNIT.row("SFPLOADI", conversions.SFPLOADI)
SFPSTORE = UNIT.row("SFPSTORE", dst_access.SFPSTORE)
SFPLUT = UNIT.row("SFPLUT", tables.SFPLUT)
SFPMULI = UNIT.row("SFPMULI", arithmetic.SFPMULI)
SFPADDI = UNIT.row("SFPADDI", arithmetic.SFPADDI)
SFPDIVP2 = UNIT.row("SFPDIVP2", float_fields.SFPDIVP2)
SFPEXEXP = UNIT.row("SFPEXEXP", float_fields.SFPEXEXP)
SFPEXMAN = UNIT.row("SFPEXMAN", float_fields.SFPEXMAN)
SFPIADD = UNIT.row("SFPIADD", integers.SFPIADD)
SFPSHFT = UNIT.row("SFPSHFT", integers.SFPSHFT)
SFPSETCC = UNIT.row("SFPSETCC", predication.SFPSETCC)
SFPMOV = UNIT.row("SFPMOV", configuration.SFPMOV)
SFPABS = UNIT.row("SFPABS", integers.SFPABS)
SFPAND = UNIT.row("SFPAND", integers.SFPAND)
SFPOR = UNIT.row("SFPOR", integers.SFPOR)
SFPNOT = UNIT.row("SFPNOT", integers.SFPNOT)
SFPLZ = UNIT.row("SFPLZ", integers.SFPLZ)
SFPSETEXP = UNIT.row("SFPSETEXP", float_fields.SFPSETEXP)
SFPSETMAN = UNIT.row("SFPSETMAN", float_fields.SFPSETMAN)
SFPMAD = UNIT.row("SFPMAD", arithmetic.SFPMAD)
SFPADD = UNIT.row("SFPADD", arithmetic.SFPADD)
SFPMUL = UNIT.row("SFPMUL", arithmetic.SFPMUL)
SFPPUSHC = UNIT.row("SFPPUSHC", predication.SFPPUSHC)
SFPPOPC = UNIT.row("SFPPOPC", predication.SFPPOPC)
SFPSETSGN = UNIT.row("SFPSETSGN", float_fields.SFPSETSGN)
SFPENCC = UNIT.row("SFPENCC", predication.SFPENCC)
SFPCOMPC = UNIT.row("SFPCOMPC", predication.SFPCOMPC)
SFPTRANSP = UNIT.row("SFPTRANSP", permutations.SFPTRANSP)
SFPXOR = UNIT.row("SFPXOR", integers.SFPXOR)
SFP_STOCH_RND = UNIT.row("SFP_STOCH_RND", conversions.SFP_STOCH_RND)
SFPNOP = UNIT.row("SFPNOP", configuration.SFPNOP)
SFPCAST = UNIT.row("SFPCAST", conversions.SFPCAST)
SFPCONFIG = UNIT.row("SFPCONFIG", configuration.SFPCONFIG)
SFPSWAP = UNIT.row("SFPSWAP", permutations.SFPSWAP)
SFPLOADMACRO = UNIT.row("SFPLOADMACRO", macros.SFPLOADMACRO)
SFPSHFT2 = UNIT.row("SFPSHFT2", permutations.SFPSHFT2)
SFPLUTFP32 = UNIT.row("SFPLUTFP32", tables.SFPLUTFP32)
