"""Cuts the three fonts of the program out of their packages; see README.md beside this file.

usage: /usr/bin/python3 subset.py INTER.ttf NOTO.ttc PHOSPHOR_REGULAR_DIR
"""
import pathlib
import re
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).parent
ICONS = (HERE / "icons.txt").read_text().split()


def options(**more):
    opt = subset.Options()
    opt.name_IDs = ["*"]
    opt.hinting = False
    opt.notdef_outline = True
    opt.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl"]
    for key, value in more.items():
        setattr(opt, key, value)
    return opt


def cut(font, points, opt, target):
    cutter = subset.Subsetter(opt)
    cutter.populate(unicodes=points)
    cutter.subset(font)
    font.save(HERE / target)
    print(target, (HERE / target).stat().st_size, "bytes", len(font.getBestCmap()), "characters")


def rename(font, family, points_from):
    """Gives a cut font a name of its own, so that nobody takes it for the whole one."""
    names = font["name"]
    for record in list(names.names):
        if record.nameID in (1, 3, 4, 6, 16, 18, 25):
            names.removeNames(nameID=record.nameID)
    for name_id, text in ((1, family), (3, f"{family}; cut from {points_from}"), (4, family),
                          (6, family.replace(" ", ""))):
        names.setName(text, name_id, 3, 1, 0x409)


def latin():
    ranges = [(0x20, 0x7E), (0xA0, 0x17F), (0x192, 0x192), (0x218, 0x21B), (0x2C6, 0x2DD), (0x370, 0x3FF),
              (0x400, 0x45F), (0x2010, 0x2027), (0x202F, 0x203A), (0x2044, 0x2044), (0x2070, 0x208E),
              (0x20AC, 0x20AC), (0x2116, 0x2116), (0x2122, 0x2122), (0x2190, 0x2199), (0x2200, 0x22FF),
              (0x25A0, 0x25FF), (0x2318, 0x2318), (0x21E7, 0x21E7)]
    return [point for low, high in ranges for point in range(low, high + 1)]


def inter(path):
    font = TTFont(path, recalcTimestamp=False)
    # egui hands no OpenType features to the shaper: the digits of equal width become the digits.
    single = {}
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for table in font["GSUB"].table.LookupList.Lookup[index].SubTable:
                    table = getattr(table, "ExtSubTable", table)
                    single.update(getattr(table, "mapping", {}))
    for table in font["cmap"].tables:
        for digit in range(0x30, 0x3A):
            if digit in table.cmap:
                table.cmap[digit] = single.get(table.cmap[digit], table.cmap[digit])
    rename(font, "Yuremono Latin", "Inter")
    cut(font, latin(), options(), "YuremonoLatin.ttf")
    cut_font = TTFont(HERE / "YuremonoLatin.ttf")
    widths = {cut_font["hmtx"][cut_font.getBestCmap()[d]][0] for d in range(0x30, 0x3A)}
    assert len(widths) == 1, f"digits of unequal width: {widths}"


def japanese():
    """JIS X 0208 by way of EUC-JP, half-width kana, and kanji of names and places beyond it."""
    points = set(range(0xFF61, 0xFFA0)) | {ord(c) for c in "髙﨑栁濵德増邉邊神祐福槗凜羽曻黑"}
    for row in range(0xA1, 0xFF):
        for cell in range(0xA1, 0xFF):
            try:
                points.add(ord(bytes([row, cell]).decode("euc_jp")))
            except (UnicodeDecodeError, TypeError):
                pass
    # Signs that decoders map in two ways.
    return points | {0x301C, 0xFF5E, 0x2016, 0x2225, 0x2212, 0xFF0D, 0xFFE0, 0xFFE1, 0xFFE2, 0xFFE5, 0x2014, 0x2015}


def noto(path):
    font = TTFont(path, fontNumber=0, recalcTimestamp=False)
    assert font["name"].getDebugName(1) == "Noto Sans CJK JP", font["name"].getDebugName(1)
    rename(font, "Yuremono Japanese", "Noto Sans CJK JP")
    # Selectors of kanji variants would bring 1,200 glyphs that no text of ours asks for.
    font["cmap"].tables = [table for table in font["cmap"].tables if table.format != 14]
    opt = options(layout_features=[], layout_closure=False)
    opt.drop_tables += ["vhea", "vmtx", "VORG", "GSUB", "GPOS", "BASE"]
    cut(font, japanese(), opt, "YuremonoJapanese.otf")


def phosphor(folder):
    css = (pathlib.Path(folder) / "style.css").read_text()
    table = dict(re.findall(r'\.ph\.ph-([a-z0-9-]+):before \{\s*content: "\\([0-9a-f]+)"', css))
    missing = [name for name in ICONS if name not in table]
    assert not missing, f"not in the package: {missing}"
    font = TTFont(pathlib.Path(folder) / "Phosphor.ttf", recalcTimestamp=False)
    rename(font, "Yuremono Icons", "Phosphor")
    opt = options(layout_features=[])
    opt.drop_tables += ["GSUB", "GPOS"]
    cut(font, [int(table[name], 16) for name in ICONS], opt, "YuremonoIcons.ttf")
    lines = [f"{name} {table[name]}" for name in ICONS]
    (HERE / "icons.map").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    inter(sys.argv[1])
    noto(sys.argv[2])
    phosphor(sys.argv[3])
