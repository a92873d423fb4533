"""Joins PPM pictures of at most 255 colours to one animated PNG that loops: apng.py FPS OUT FRAME..."""

import struct
import sys
import zlib


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    kind, width, height, depth = data.split(None, 4)[:4]
    assert (kind, depth) == (b"P6", b"255"), path
    width, height = int(width), int(height)
    return width, height, data[-3 * width * height :]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def main():
    fps, out, paths = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    frames = [read(path) for path in paths]
    width, height, _ = frames[0]
    # Index 0 is clear: pixels that stay as they are.
    colours = {}
    indices = []
    for _, _, rgb in frames:
        pixels = [rgb[i : i + 3] for i in range(0, len(rgb), 3)]
        for colour in sorted(set(pixels) - colours.keys()):
            colours[colour] = len(colours) + 1
        indices.append(bytes(map(colours.__getitem__, pixels)))
    assert len(colours) <= 255, len(colours)

    written = [
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        chunk(b"acTL", struct.pack(">II", len(frames), 0)),
        chunk(b"PLTE", bytes(3) + b"".join(colours)),
        chunk(b"tRNS", b"\0"),
    ]
    number = 0
    before = None
    for index in indices:
        left, top, right, bottom = 0, 0, width, height
        if before is not None:
            rows = [y for y in range(height) if index[y * width : (y + 1) * width] != before[y * width : (y + 1) * width]]
            columns = [x for x in range(width) if index[x::width] != before[x::width]]
            top, bottom = (rows[0], rows[-1] + 1) if rows else (0, 1)
            left, right = (columns[0], columns[-1] + 1) if columns else (0, 1)
        lines = []
        for y in range(top, bottom):
            line = index[y * width + left : y * width + right]
            if before is not None:
                old = before[y * width + left : y * width + right]
                line = bytes(0 if a == b else b for a, b in zip(old, line))
            lines.append(b"\0" + line)
        body = zlib.compress(b"".join(lines), 9)
        size = (number, right - left, bottom - top, left, top, 1, fps, 0, 0 if before is None else 1)
        written.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", *size)))
        number += 1
        if before is None:
            written.append(chunk(b"IDAT", body))
        else:
            written.append(chunk(b"fdAT", struct.pack(">I", number) + body))
            number += 1
        before = index
    written.append(chunk(b"IEND", b""))
    with open(out, "wb") as file:
        file.write(b"".join(written))
    print(f"{out}: {len(frames)} frames, {sum(map(len, written))} bytes")


main()
