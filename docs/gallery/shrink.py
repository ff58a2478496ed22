#!/usr/bin/env python3
"""Writes PNGs with a palette of 256 colours, which is enough for text and charts: shrink.py PICTURE.png..."""

import collections
import struct
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += 12 + size


def unfilter(raw, stride, bpp):
    """The rows of a picture, without the filters that PNG puts over them (RFC 2083, 6)."""
    above = bytearray(stride)
    for at in range(0, len(raw), stride + 1):
        kind, row = raw[at], bytearray(raw[at + 1 : at + 1 + stride])
        for i in range(stride) if kind else ():
            left, up, corner = row[i - bpp] if i >= bpp else 0, above[i], above[i - bpp] if i >= bpp else 0
            if kind == 4:
                guess = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            else:
                guess = (0, left, up, (left + up) // 2)[kind]
            row[i] = (row[i] + guess) & 255
        yield row
        above = row


def shrink(path):
    with open(path, "rb") as f:
        parts = list(chunks(f.read()))
    width, height, depth, color = struct.unpack(">IIBB", parts[0][1][:10])
    bpp = {2: 3, 6: 4}.get(color)
    if depth != 8 or not bpp:
        return
    raw = zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT"))
    rows = [[bytes(row[i : i + 3]) for i in range(0, len(row), bpp)] for row in unfilter(raw, width * bpp, bpp)]
    count = collections.Counter(pixel for row in rows for pixel in row)
    buckets = {}  # by the upper four bits of each channel, so that rare hues keep a colour
    for pixel, n in count.items():
        buckets.setdefault(tuple(c >> 4 for c in pixel), collections.Counter())[pixel] = n
    fullest = sorted(buckets.values(), key=lambda b: -b.total())[:256]
    palette = [bucket.most_common(1)[0][0] for bucket in fullest]
    index = {}
    for pixel in count:
        index[pixel] = min(range(len(palette)), key=lambda i: sum((a - b) ** 2 for a, b in zip(palette[i], pixel)))
    body = zlib.compress(b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in rows), 9)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n")
        header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
        for kind, data in ((b"IHDR", header), (b"PLTE", b"".join(palette)), (b"IDAT", body), (b"IEND", b"")):
            f.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))


for path in sys.argv[1:]:
    shrink(path)
