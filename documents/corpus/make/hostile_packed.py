"""Archives that try to harm their reader."""

import gzip
import io
import struct
import zipfile
import zlib

from hostile_pdf import zeros

DATE = (2020, 1, 1, 0, 0, 0)


def packed(members, stored=()):
    """A zip of these texts or bytes by name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)
    return out.getvalue()


def local(name, packed_bytes, size, crc, method=8, flags=0, packed_size=None):
    packed_size = len(packed_bytes) if packed_size is None else packed_size
    head = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, flags, method, 0, 33, crc, packed_size, size, len(name), 0)
    return head + name + packed_bytes


def central(name, offset, packed_size, size, crc, method=8, flags=0):
    return struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, flags, method, 0, 33, crc, packed_size, size,
                       len(name), 0, 0, 0, 0, 0, offset) + name


def end(count, length, offset):
    return struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, length, offset, 0)


def raw(data):
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    return pack.compress(data) + pack.flush()


def overlapping(entries, size):
    """Every entry is the same bytes of the file."""
    data = bytes(size)
    deflated, crc = raw(data), zlib.crc32(data)
    body = local(b"0.txt", deflated, size, crc)
    directory = b"".join(central(b"%d.txt" % n, 0, len(deflated), size, crc) for n in range(entries))
    return body + directory + end(entries, len(directory), len(body))


def lying(real, said):
    data = b"a" * real
    deflated, crc = raw(data), zlib.crc32(data)
    body = local(b"a.txt", deflated, said, crc)
    directory = central(b"a.txt", 0, len(deflated), said, crc)
    return body + directory + end(1, len(directory), len(body))


def zips():
    bomb = packed({"zeros.txt": bytes(48 << 20)})
    yield "zip-bomb.zip", bomb
    yield "zip-bomb-inside.zip", packed({f"{n}.zip": bomb for n in range(8)})
    level = packed({"0.txt": bytes(1 << 20)})
    for _ in range(5):
        level = packed({f"{n}.zip": level for n in range(16)})
    yield "zip-sixteen-to-the-fifth.zip", level
    level = b"the end"
    for depth in range(400):
        level = packed({"in.txt" if depth == 0 else "in.zip": level}, stored=("in.zip",))
    yield "zip-in-zip-400.zip", level
    yield "zip-overlapping.zip", overlapping(500, 16 << 20)
    yield "zip-size-too-small.zip", lying(16 << 20, 10)
    yield "zip-size-too-large.zip", lying(10, 0xFFFFFFF0)
    names = ["../../../../etc/passwd", "/etc/passwd", "C:\\Windows\\win.ini", "..\\..\\a.txt", "a/../../b.txt", "nul\0.txt",
             "\x1b[2J.txt", "a" * 9_000 + ".txt", "CON", "\u202etxt.exe", "", "a.txt/", "a.txt"]
    out, directory = b"", b""
    for name in names:
        name, data = name.encode(), b"Nothing is written anywhere."
        directory += central(name, len(out), len(data), len(data), zlib.crc32(data), 0, 0x800)
        out += local(name, data, len(data), zlib.crc32(data), 0, 0x800)
    yield "zip-paths.zip", out + directory + end(len(names), len(directory), len(out))
    data = b"locked"
    locked = local(b"a.txt", data, 6, 0, 0, 1)
    directory = central(b"a.txt", 0, 6, 6, 0, 0, 1)
    yield "zip-encrypted.zip", locked + directory + end(1, len(directory), len(locked))
    yield "zip-truncated.zip", bomb[:len(bomb) // 2]
    yield "zip-end-alone.zip", end(65535, 0xFFFFFFFF, 0xFFFFFFFF)
    far = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 2**63, 45, 45, 0, 0, 2**63, 2**63, 2**63, 2**63)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1)
    yield "zip-zip64-junk.zip", far + locator + end(65535, 0xFFFFFFFF, 0xFFFFFFFF)
    yield "zip-method-unknown.zip", local(b"a.txt", data, 6, 0, 99) + central(b"a.txt", 0, 6, 6, 0, 99) + end(1, 51, 41)
    mixed = {"good.txt": "The rent is 1200.", "bad.pdf": b"%PDF-1.7\n" + bytes(99), "bad.docx": b"PK\3\4junk",
             "bad.xlsx": bomb[:999], "later.txt": "The deposit is 2400."}
    yield "zip-good-and-bad.zip", packed(mixed)


def tar(name, size_field, data=b"", kind=b"0", link=b""):
    head = bytearray(512)
    head[0:len(name)] = name
    head[100:108], head[108:116], head[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    head[124:136], head[136:148] = size_field, b"00000000000\0"
    head[156:157], head[157:157 + len(link)] = kind, link
    head[257:265] = b"ustar\00000"
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + data + bytes(-len(data) % 512)


def tars():
    good = tar(b"good.txt", b"00000000005\0", b"good\n")
    yield "tar-size-negative.tar", good + tar(b"a.txt", b"\xff" * 12, b"junk") + good + bytes(1024)
    yield "tar-size-huge.tar", good + tar(b"a.txt", b"77777777777\0", b"junk") + bytes(1024)
    yield "tar-size-binary.tar", good + tar(b"a.txt", b"\x80" + b"\x7f" * 11, b"junk") + bytes(1024)
    yield "tar-long-name-huge.tar", tar(b"././@LongLink", b"77777777777\0", b"a" * 512, b"L") + good + bytes(1024)
    record = b"99999999999999999999 path=a\n"
    yield "tar-pax-junk.tar", tar(b"pax", b"%011o\0" % len(record), record, b"x") + good + bytes(1024)
    yield "tar-links.tar", tar(b"a", b"0" * 11 + b"\0", kind=b"2", link=b"/etc/passwd") \
        + tar(b"b", b"0" * 11 + b"\0", kind=b"1", link=b"../../b") + tar(b"c", b"0" * 11 + b"\0", kind=b"3") \
        + tar(b"../../d.txt", b"00000000005\0", b"good\n") + bytes(1024)
    many = b"".join(tar(b"%05d.txt" % n, b"00000000001\0", b"a") for n in range(5_000))
    yield "tar-five-thousand.tar.gz", gzip.compress(many, 9, mtime=0)
    yield "tar-truncated.tar", good[:600]


def gzips():
    head = b"\x1f\x8b\x08\0\0\0\0\0\2\xff"
    body = zeros(256 << 20)[2:-4]
    bomb = head + body + struct.pack("<II", 0, 256 << 20)
    level = gzip.compress(bomb, 9, mtime=0)
    yield "gzip-bomb-inside.gz", level
    for _ in range(50):
        level = gzip.compress(level, 9, mtime=0)
    yield "gzip-in-gzip.gz", level
    yield "gzip-many-members.gz", gzip.compress(gzip.compress(b"a", 9, mtime=0) * 200_000, 9, mtime=0)
    yield "gzip-truncated.gz", bomb[:1_000]
    yield "gzip-name-endless.gz", b"\x1f\x8b\x08\x08\0\0\0\0\2\xff" + b"a" * 9_999
    yield "gzip-header-alone.gz", head


def files():
    for made in (zips, tars, gzips):
        yield from made()
