"""PDFs that try to harm their reader."""

import zlib


def pdf(objects, trailer="", root=1, header=b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"):
    """A PDF with a table of these objects, which are texts or bytes by number."""
    out, offsets = bytearray(header), {}
    for number, body in objects.items():
        offsets[number] = len(out)
        body = body.encode("latin-1") if isinstance(body, str) else body
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start, most = len(out), max(objects)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (most + 1)
    for number in range(1, most + 1):
        entry = b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 65535 f \n"
        out += entry
    trailer = f"trailer\n<< /Size {most + 1} /Root {root} 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n"
    return bytes(out) + trailer.encode("latin-1")


def stream(data, entries="", length=None):
    data = data.encode("latin-1") if isinstance(data, str) else data
    length = len(data) if length is None else length
    return f"<< /Length {length} {entries} >>\nstream\n".encode("latin-1") + data + b"\nendstream"


def deflated(data, entries=""):
    return stream(zlib.compress(data, 9), f"/Filter /FlateDecode {entries}")


def zeros(count, text=b" "):
    """About `count` bytes of the same text, compressed, without ever holding them."""
    piece, pack, out = text * ((1 << 20) // len(text)), zlib.compressobj(9), bytearray()
    for _ in range(count >> 20):
        out += pack.compress(piece)
    return bytes(out + pack.flush())


FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
SHOW = "BT /F 12 Tf 72 700 Td (Nothing runs here) Tj ET"


def page(contents=SHOW, resources="", entries="", kids="[3 0 R]", count=1, more=None):
    """One page; `contents` is a text, or the bytes of a whole stream object."""
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R {entries} >>",
        2: f"<< /Type /Pages /Kids {kids} /Count {count} /MediaBox [0 0 612 792] >>",
        3: f"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> {resources} >> >>",
        4: contents if isinstance(contents, bytes) else stream(contents),
        5: FONT,
    }
    objects.update(more or {})
    return objects


def image(data, entries, width=100, height=100):
    resources = "/XObject << /I 6 0 R >>"
    picture = stream(data, f"/Type /XObject /Subtype /Image /Width {width} /Height {height} {entries}")
    return pdf(page(f"q 100 0 0 100 0 0 cm /I Do Q {SHOW}", resources, more={6: picture}))


def bombs():
    yield "pdf-flate-bomb.pdf", pdf(page(stream(zeros(32 << 20), "/Filter /FlateDecode")))
    inner = zlib.compress(zeros(1 << 30), 9)
    yield "pdf-flate-chain-bomb.pdf", pdf(page(stream(inner, "/Filter [/FlateDecode /FlateDecode]")))
    text = zlib.compress(zeros(256 << 20, b"BT /F 9 Tf (aa) Tj ET "), 9)
    yield "pdf-flate-chain-text.pdf", pdf(page(stream(text, "/Filter [/FlateDecode /FlateDecode]")))
    runs = zlib.compress(b"\x81 " * (8 << 20) + b"\x80", 9)
    yield "pdf-run-length-bomb.pdf", pdf(page(stream(runs, "/Filter [/FlateDecode /RunLengthDecode]")))
    chain = "/Filter [" + "/ASCIIHexDecode " * 1_000 + "]"
    yield "pdf-thousand-filters.pdf", pdf(page(stream("20>", chain)))
    wide = "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2147483647 /Colors 32 /BitsPerComponent 16 >>"
    yield "pdf-predictor-wide.pdf", pdf(page(stream(zlib.compress(b"abc"), wide)))
    # Each form draws the next one ten times.
    forms = {}
    for level in range(30):
        next_form = f"/XObject << /G {11 + level} 0 R >>" if level < 29 else ""
        body = "/G Do " * 10 if level < 29 else SHOW
        entries = f"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F 5 0 R >> {next_form} >>"
        forms[10 + level] = stream(body, entries)
    yield "pdf-forms-laugh.pdf", pdf(page("/G Do", "/XObject << /G 10 0 R >>", more=forms))
    # The same node as each of ten kids, twelve levels deep.
    nodes = {2 if level == 0 else 20 + level:
             f"<< /Type /Pages /Kids [{f'{21 + level} 0 R ' * 10}] /Count {10 ** (12 - level)} /MediaBox [0 0 612 792] >>"
             for level in range(12)}
    nodes[32] = "<< /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
    yield "pdf-pages-shared.pdf", pdf({**page(), **nodes})
    strings = zlib.compress(b"BT /F 12 Tf (" + b"a" * (24 << 20) + b") Tj ET", 9)
    yield "pdf-long-string.pdf", pdf(page(stream(strings, "/Filter /FlateDecode")))


def loops():
    yield "pdf-page-tree-loop.pdf", pdf(page(kids="[3 0 R 2 0 R]", count=2))
    far = {6: "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 1 >>"}
    yield "pdf-page-tree-far-loop.pdf", pdf(page(kids="[3 0 R 6 0 R]", count=2, more=far))
    plain = pdf(page())
    start = plain.rindex(b"startxref\n") + 10
    offset = plain[start:plain.index(b"\n", start)]
    yield "pdf-xref-loop.pdf", pdf(page(), f"/Prev {offset.decode()}")
    yield "pdf-xref-stream-loop.pdf", pdf(page(), f"/XRefStm {offset.decode()} /Prev 9")
    resources = "/XObject << /G 6 0 R >>"
    itself = f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 5 0 R >> {resources} >>"
    yield "pdf-form-draws-itself.pdf", pdf(page("/G Do", resources, more={6: stream(f"{SHOW} /G Do", itself)}))
    glyphs = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 6 0 R >> " \
        "/Encoding << /Type /Encoding /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [9] " \
        "/Resources << /Font << /F 5 0 R >> >> >>"
    yield "pdf-glyph-shows-itself.pdf", pdf({**page("BT /F 12 Tf (aaa) Tj ET"), 5: glyphs,
                                             6: stream("9 0 d0 BT /F 1 Tf (aaa) Tj ET")})
    members = "10 0 11 30 " + "<< /Extends 7 0 R >>          " + "[10 0 R 11 0 R]"
    inside = stream(members, "/Type /ObjStm /N 2 /First 11 /Extends 7 0 R")
    yield "pdf-object-stream-loop.pdf", pdf(page(more={7: inside, 8: "8 0 R", 9: "7 0 R"}))
    yield "pdf-length-is-itself.pdf", pdf({**page(), 4: stream(SHOW, "", "4 0 R")})
    yield "pdf-reference-to-itself.pdf", pdf({**page(entries="/AcroForm 6 0 R"), 6: "6 0 R", 5: "5 0 R"})
    outline = {6: "<< /First 7 0 R /Last 7 0 R /Count 9 >>", 7: "<< /Title (a) /Parent 6 0 R /Next 7 0 R /First 7 0 R >>"}
    yield "pdf-outline-loop.pdf", pdf(page(entries="/Outlines 6 0 R", more=outline))
    function = {6: "<< /FunctionType 3 /Domain [0 1] /Functions [6 0 R 6 0 R] /Bounds [0.5] /Encode [0 1 0 1] >>",
                7: "<< /ShadingType 2 /ColorSpace 8 0 R /Coords [0 0 9 9] /Function 6 0 R >>", 8: "[/Indexed 8 0 R 9 (a)]"}
    yield "pdf-function-loop.pdf", pdf(page(f"/S sh {SHOW}", "/Shading << /S 7 0 R >>", more=function))


def sizes():
    yield "pdf-count-huge.pdf", pdf(page(count=2147483647))
    yield "pdf-count-negative.pdf", pdf(page(count=-9223372036854775808))
    for name, box in (("huge", "[-1e38 -1e38 1e38 1e38]"), ("endless", "[0 0 9" + "9" * 400 + " 792]"),
                      ("empty", "[0 0 0 0]"), ("turned", "[612 792 0 0]")):
        objects = page()
        objects[3] = objects[3].replace("/Contents", f"/MediaBox {box} /UserUnit 75000 /Rotate 37 /Contents")
        yield f"pdf-page-{name}.pdf", pdf(objects)
    far = SHOW.replace("72 700", "1e38 -1e38") + " BT /F 1e38 Tf 1e38 0 0 1e-38 0 0 Tm (far) Tj ET"
    yield "pdf-glyphs-far-away.pdf", pdf(page(f"1e30 0 0 1e30 0 0 cm {far}"))
    cmap = "begincmap 1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange " \
        "1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange 1 begincidrange <00000000> <FFFFFFFF> 0 endcidrange endcmap"
    font = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding 6 0 R /ToUnicode 6 0 R /DescendantFonts [7 0 R] >>"
    below = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /W [0 4294967295 500] /DW 2147483647 " \
        "/CIDSystemInfo << /Registry (A) /Ordering (B) /Supplement 0 >> >>"
    yield "pdf-cmap-endless.pdf", pdf({**page("BT /F 12 Tf <0000000000410042> Tj ET"), 5: font,
                                       6: stream(cmap, "/Type /CMap /CMapName /A"), 7: below})
    cmap = b"begincmap " + b"1 beginbfchar <0041> <0041> endbfchar " * 250_000 + b"endcmap"
    yield "pdf-cmap-giant.pdf", pdf({**page("BT /F 12 Tf <0041> Tj ET"), 5: font, 6: deflated(cmap), 7: below})
    junk = bytes(range(256)) * 16
    described = "<< /Type /Font /Subtype /TrueType /BaseFont /A /FirstChar 0 /LastChar 255 /FontDescriptor 6 0 R >>"
    for key, head in (("FontFile", b"%!PS-AdobeFont-1.0\n"), ("FontFile2", b"\0\1\0\0\xff\xff"), ("FontFile3", b"\1\0\4\4")):
        descriptor = f"<< /Type /FontDescriptor /FontName /A /Flags 4 /{key} 7 0 R >>"
        entries = "/Subtype /Type1C" if key == "FontFile3" else "/Length1 99999999"
        objects = {**page(), 5: described, 6: descriptor, 7: stream(head + junk, entries)}
        yield f"pdf-font-junk-{key[4:].lower()}.pdf", pdf(objects)
    yield "pdf-image-huge.pdf", image(b"a", "/ColorSpace /DeviceRGB /BitsPerComponent 16", 2147483647, 2147483647)
    for name, filter_name, head in (("jbig2", "JBIG2Decode", b"\0\0\0\0\x30\0\1\0\0\0\x13\xff\xff\xff\xff\xff\xff\xff\xff"),
                                    ("jpx", "JPXDecode", b"\0\0\0\x0cjP  \r\n\x87\n\xff\x4f\xff\x51\0\x2f"),
                                    ("dct", "DCTDecode", b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\3"),
                                    ("ccitt", "CCITTFaxDecode", b"")):
        entries = f"/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /{filter_name} /DecodeParms << /K -1 /Columns 65535 >>"
        yield f"pdf-{name}-junk.pdf", image(head + junk, entries, 65535, 65535)
    deep = b"q " * 1_000_000 + SHOW.encode()
    yield "pdf-saves-a-million.pdf", pdf(page(deflated(deep)))
    inline = b"/P <</A " * 100_000 + b">>" * 100_000 + b" BDC EMC " + SHOW.encode()
    yield "pdf-nested-in-content.pdf", pdf(page(deflated(inline)))
    lists = b"[" * 100_000 + b"]" * 100_000 + b" TJ " + SHOW.encode()
    yield "pdf-nested-arrays-in-content.pdf", pdf(page(deflated(lists)))
    inside = b"10 0 " + b"<</A " * 100_000 + b"1 " + b">>" * 100_000
    objects = page(entries="/Names 10 0 R", more={7: deflated(inside, "/Type /ObjStm /N 1 /First 5")})
    yield "pdf-nested-in-object-stream.pdf", pdf(objects)


def others():
    actions = "/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1/'\\);) >> " \
        "/AA << /WC << /S /Launch /F (/bin/sh) /Win << /F (cmd.exe) >> >> >> " \
        "/Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (while\\(1\\);) >>] >> >>"
    yield "pdf-actions.pdf", pdf(page(entries=actions))
    remote = stream("", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /F (/etc/passwd) /Ref << /F (/etc/passwd) /Page 0 >>")
    yield "pdf-file-elsewhere.pdf", pdf(page(f"/G Do {SHOW}", "/XObject << /G 6 0 R >>", more={6: remote}))
    whole = pdf(page())
    yield "pdf-truncated.pdf", whole[:len(whole) // 2]
    yield "pdf-without-xref.pdf", whole[:whole.rindex(b"xref\n0")]
    yield "pdf-offsets-wrong.pdf", whole.replace(b"0000000", b"9999999")
    yield "pdf-header-alone.pdf", b"%PDF-1.7\n"
    yield "pdf-zeros.pdf", b"%PDF-1.7\n" + bytes(9_999)
    encrypted = "/Encrypt << /Filter /Standard /V 5 /R 6 /Length 4294967295 /O (a) /U (b) /OE () /UE () /P -1 /Perms () >> /ID [() ()]"
    yield "pdf-encryption-junk.pdf", pdf(page(), encrypted)
    yield "pdf-number-endless.pdf", pdf(page(f"{'9' * 9_999} 0 Td {SHOW}", entries=f"/Version {'-' * 9_999}1"))
    yield "png-named.pdf", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\6\0\0\0junk"


def files():
    for made in (bombs, loops, sizes, others):
        yield from made()
