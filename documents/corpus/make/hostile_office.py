"""Office files and books that try to harm their reader."""

import struct

from hostile_packed import packed

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
LAUGHS = '<!DOCTYPE r [<!ENTITY a0 "haha">' \
    + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12)) + "]>"
FILES = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b SYSTEM "http://127.0.0.1/b">' \
    '<!ENTITY % c SYSTEM "http://127.0.0.1/c.dtd"> %c;]>'


def relations(*targets):
    inside = "".join(f'<Relationship Id="rId{n + 1}" Type="{RELS}/{kind}" Target="{target}"/>'
                     for n, (kind, target) in enumerate(targets))
    return f'{XML}<Relationships xmlns="{PACKAGE}">{inside}</Relationships>'


def types(*parts):
    base = "application/vnd.openxmlformats-officedocument."
    inside = "".join(f'<Override PartName="/{name}" ContentType="{base}{kind}+xml"/>' for name, kind in parts)
    return f'{XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' \
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' \
        f'<Default Extension="xml" ContentType="application/xml"/>{inside}</Types>'


def paragraph(text="The rent is 1200.", properties=""):
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(body, doctype="", more=None, rels=(("styles", "styles.xml"), ("numbering", "numbering.xml"))):
    members = {
        "[Content_Types].xml": types(("word/document.xml", "wordprocessingml.document.main")),
        "_rels/.rels": relations(("officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": relations(*rels),
        "word/document.xml": f"{XML}{doctype}<w:document {WORD}><w:body>{body}</w:body></w:document>",
    }
    members.update(more or {})
    return packed(members)


def words():
    yield "docx-billion-laughs.docx", docx(paragraph("&a12;"), LAUGHS)
    yield "docx-external-entity.docx", docx(paragraph("&a;&b;"), FILES)
    for name, begin, stop in (("tables", "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
                              ("runs", "<w:p><w:r><w:pict>", "</w:pict></w:r></w:p>")):
        yield f"docx-nested-{name}.docx", docx(begin * 100_000 + paragraph() + stop * 100_000)
    yield "docx-never-closed.docx", docx("<w:tbl><w:tr><w:tc>" * 50_000)
    styles = "".join(f'<w:style w:type="paragraph" w:styleId="S{n}"><w:name w:val="s{n}"/><w:basedOn w:val="S{(n + 1) % 3}"/></w:style>'
                     for n in range(3))
    used = paragraph(properties='<w:pPr><w:pStyle w:val="S0"/></w:pPr>')
    yield "docx-styles-in-a-circle.docx", docx(used, more={"word/styles.xml": f"{XML}<w:styles {WORD}>{styles}</w:styles>"})
    chain = "".join(f'<w:style w:type="paragraph" w:styleId="S{n}"><w:basedOn w:val="S{n + 1}"/></w:style>' for n in range(4_000))
    yield "docx-styles-in-a-chain.docx", docx(used * 2_000, more={"word/styles.xml": f"{XML}<w:styles {WORD}>{chain}</w:styles>"})
    numbers = '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="S0"/></w:abstractNum>' \
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="4294967295"/></w:num>'
    linked = '<w:style w:type="numbering" w:styleId="S0"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    numbered = paragraph(properties='<w:pPr><w:numPr><w:ilvl w:val="99999999999"/><w:numId w:val="1"/></w:numPr></w:pPr>')
    yield "docx-numbers-in-a-circle.docx", docx(numbered, more={
        "word/styles.xml": f"{XML}<w:styles {WORD}>{linked}</w:styles>",
        "word/numbering.xml": f"{XML}<w:numbering {WORD}>{numbers}</w:numbering>"})
    yield "docx-bomb.docx", docx(paragraph("a" * (32 << 20)))
    yield "docx-million-paragraphs.docx", docx("<w:p/>" * 2_000_000 + paragraph())
    flood = " ".join(f'a{n}="b"' for n in range(10_000))
    yield "docx-attributes.docx", docx(f"<w:p {flood}>{paragraph()}</w:p>")
    span = '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2147483647"/></w:tcPr>' + paragraph() + "</w:tc></w:tr></w:tbl>"
    yield "docx-cell-spans.docx", docx(span * 3)
    yield "docx-without-document.docx", packed({"[Content_Types].xml": types()})
    yield "docx-related-to-itself.docx", docx(paragraph(), rels=(("officeDocument", "document.xml"), ("footnotes", "document.xml"),
                                                                 ("styles", "../../../../etc/passwd")))
    yield "docx-not-xml.docx", docx("", more={"word/document.xml": bytes(range(256)) * 99})
    notes = f'<w:footnote w:id="1"><w:p><w:r><w:footnoteReference w:id="1"/><w:t>note</w:t></w:r></w:p></w:footnote>'
    reference = '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'
    yield "docx-footnote-in-itself.docx", docx(reference * 9, more={
        "word/footnotes.xml": f"{XML}<w:footnotes {WORD}>{notes}</w:footnotes>"}, rels=(("footnotes", "footnotes.xml"),))


MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def xlsx(sheet, shared=None, doctype="", sheets='<sheet name="S" sheetId="1" r:id="rId1"/>'):
    members = {
        "[Content_Types].xml": types(("xl/workbook.xml", "spreadsheetml.sheet.main"),
                                     ("xl/worksheets/sheet1.xml", "spreadsheetml.worksheet")),
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml")),
        "xl/workbook.xml": f'{XML}<workbook {MAIN} xmlns:r="{RELS}"><sheets>{sheets}</sheets></workbook>',
        "xl/worksheets/sheet1.xml": f"{XML}{doctype}<worksheet {MAIN}>{sheet}</worksheet>",
    }
    if shared is not None:
        members["xl/sharedStrings.xml"] = f"{XML}{shared}"
    return packed(members)


def cells(inside, before="", after=""):
    return f"{before}<sheetData>{inside}</sheetData>{after}"


def text_cell(place, text="a"):
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def sheets():
    far = f'<row r="1">{text_cell("A1")}</row><row r="1048576">{text_cell("XFD1048576")}</row>'
    yield "xlsx-far-cell.xlsx", xlsx(cells(far))
    yield "xlsx-dimension-lies.xlsx", xlsx(cells(far, '<dimension ref="A1:XFD1048576"/>'))
    beyond = f'<row r="4294967295">{text_cell("ZZZZZZZZZ99999999999")}</row><row r="0">{text_cell("A0")}</row>'
    yield "xlsx-cell-beyond.xlsx", xlsx(cells(beyond))
    merged = '<mergeCells count="2"><mergeCell ref="A1:XFD1048576"/><mergeCell ref="B1:A1"/></mergeCells>'
    yield "xlsx-merged-all.xlsx", xlsx(cells(far, after=merged))
    long = f'<sst {MAIN} count="4294967295" uniqueCount="4294967295"><si><t>{"a" * 32_767}</t></si></sst>'
    rows = "".join(f'<row r="{n}">' + '<c t="s"><v>0</v></c>' * 200 + "</row>" for n in range(1, 1_001))
    yield "xlsx-shared-string-bomb.xlsx", xlsx(cells(rows), long)
    many = f"<sst {MAIN}>" + "<si><t>a</t></si>" * 1_000_000 + "</sst>"
    yield "xlsx-shared-strings-many.xlsx", xlsx(cells(far), many)
    wrong = '<row r="1"><c r="A1" t="s"><v>4294967295</v></c><c r="B1" t="s"><v>-1</v></c><c r="C1"><v>1e999</v></c></row>'
    yield "xlsx-shared-string-missing.xlsx", xlsx(cells(wrong), f"<sst {MAIN}/>")
    yield "xlsx-billion-laughs.xlsx", xlsx(cells(f'<row r="1">{text_cell("A1", "&a12;")}</row>'), doctype=LAUGHS)
    again = '<sheet name="S" sheetId="1" r:id="rId1"/>' * 50_000
    yield "xlsx-sheet-again-and-again.xlsx", xlsx(cells(far), sheets=again)
    yield "xlsx-sheet-is-workbook.xlsx", xlsx(cells(far), sheets='<sheet name="S" sheetId="1" r:id="rId9"/>')


OFFICE = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" ' \
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'


def opendocument(kind, body, doctype=""):
    mime = f"application/vnd.oasis.opendocument.{kind}"
    manifest = f'{XML}<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">' \
        f'<m:file-entry m:full-path="/" m:media-type="{mime}"/></m:manifest>'
    body = f"{XML}{doctype}<office:document-content {OFFICE}><office:body>{body}</office:body></office:document-content>"
    return packed({"mimetype": mime, "META-INF/manifest.xml": manifest, "content.xml": body}, stored=("mimetype",))


def opendocuments():
    def sheet(rows):
        return f'<office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet>'

    many = 'table:number-rows-repeated="1000000000"'
    wide = '<table:table-cell table:number-columns-repeated="1000000000"><text:p>a</text:p></table:table-cell>'
    empty = '<table:table-cell table:number-columns-repeated="16384"/>'
    yield "ods-rows-repeated.ods", opendocument("spreadsheet", sheet(
        f"<table:table-row {many}><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>"))
    yield "ods-cells-repeated.ods", opendocument("spreadsheet", sheet(f"<table:table-row {many}>{wide}</table:table-row>"))
    yield "ods-empty-repeated.ods", opendocument("spreadsheet", sheet(
        f"<table:table-row {many}>{empty}</table:table-row><table:table-row>{wide.replace('1000000000', '18446744073709551616')}</table:table-row>"))
    yield "odt-spaces.odt", opendocument("text", '<office:text><text:p>a<text:s text:c="2000000000"/>b</text:p></office:text>')
    lists = "<text:list><text:list-item>" * 100_000 + "<text:p>a</text:p>" + "</text:list-item></text:list>" * 100_000
    yield "odt-nested-lists.odt", opendocument("text", f"<office:text>{lists}</office:text>")
    yield "odt-billion-laughs.odt", opendocument("text", "<office:text><text:p>&a12;</text:p></office:text>", LAUGHS)
    yield "odt-external-entity.odt", opendocument("text", "<office:text><text:p>&a;</text:p></office:text>", FILES)
    groups = "<draw:g>" * 100_000 + "</draw:g>" * 100_000
    yield "odp-nested-groups.odp", opendocument("presentation", f"<office:presentation><draw:page>{groups}</draw:page></office:presentation>")


def slides():
    p = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'

    def pptx(ids, slide, slide_rels):
        return packed({
            "[Content_Types].xml": types(("ppt/presentation.xml", "presentationml.presentation.main")),
            "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
            "ppt/_rels/presentation.xml.rels": relations(("slide", "slides/slide1.xml"), ("slideMaster", "presentation.xml")),
            "ppt/presentation.xml": f'{XML}<p:presentation {p} xmlns:r="{RELS}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>',
            "ppt/slides/slide1.xml": f"{XML}<p:sld {p}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>",
            "ppt/slides/_rels/slide1.xml.rels": slide_rels,
        })

    text = "<p:sp><p:txBody><a:p><a:r><a:t>The rent</a:t></a:r></a:p></p:txBody></p:sp>"
    once = '<p:sldId id="256" r:id="rId1"/>'
    circle = relations(("notesSlide", "slide1.xml"), ("slideLayout", "slide1.xml"), ("slide", "../presentation.xml"))
    yield "pptx-relations-in-a-circle.pptx", pptx(once, text, circle)
    yield "pptx-slide-again-and-again.pptx", pptx(once * 300_000, text, relations())
    yield "pptx-nested-groups.pptx", pptx(once, "<p:grpSp>" * 100_000 + text + "</p:grpSp>" * 100_000, relations())
    yield "pptx-slide-missing.pptx", pptx('<p:sldId id="256" r:id="rId7"/>', text, relations())


def compound(fat_next, sector_shift=9, size=0x7FFFFFFF):
    """An OLE file whose chain of sectors goes where `fat_next` says, with a stream called Workbook."""
    head = struct.pack("<8s16sHHHHH6sIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, sector_shift, 6,
                       bytes(6), 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    head += struct.pack("<I", 0) + b"\xff\xff\xff\xff" * 108
    fat = struct.pack("<IIII", 0xFFFFFFFD, fat_next, fat_next, fat_next) + b"\xff\xff\xff\xff" * 124

    def entry(name, kind, child, start, length):
        text = name.encode("utf-16-le")
        return text.ljust(64, b"\0") + struct.pack("<HBBIII16sI8s8sIQ", len(text) + 2, kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child,
                                                   bytes(16), 0, bytes(8), bytes(8), start, length)

    directory = entry("Root Entry", 5, 1, 0xFFFFFFFE, 0) + entry("Workbook", 2, 0xFFFFFFFF, 2, size) + bytes(256)
    book = struct.pack("<HHHHHHII", 0x809, 16, 0x600, 5, 0, 0, 0, 0) + struct.pack("<HHII", 0xFC, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    return head + fat + directory + book.ljust(512, b"\0")


def compounds():
    yield "xls-sectors-in-a-circle.xls", compound(2)
    yield "xls-directory-in-a-circle.xls", compound(1)
    yield "xls-sector-shift.xls", compound(0xFFFFFFFE, 0xFFFF)
    yield "xls-sectors-far-away.xls", compound(0x7FFFFFFE)
    yield "xls-records-end.xls", compound(0xFFFFFFFE, size=512)
    yield "xls-header-alone.xls", compound(2)[:512]
    yield "xls-junk.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(range(256)) * 16
    yield "word-97.docx", compound(0xFFFFFFFE).replace("Workbook".encode("utf-16-le"), "WordDocu".encode("utf-16-le"))


def books():
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>' \
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>One</h1><p>The rent is 1200.</p></body></html>'

    def epub(manifest, spine, more):
        opf = f'<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest>{manifest}</manifest>{spine}</package>'
        members = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "book.opf": opf}
        return packed({**members, **more}, stored=("mimetype",))

    item = '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    toc = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    spine = '<spine><itemref idref="a"/></spine>'
    yield "epub-without-spine.epub", epub(item, "", {"a.xhtml": page})
    yield "epub-chapter-missing.epub", epub(item, spine, {})
    yield "epub-chapter-again-and-again.epub", epub(item, f'<spine>{"<itemref idref=%sa%s/>" % (chr(34), chr(34)) * 300_000}</spine>',
                                                    {"a.xhtml": page})
    nested = "<navPoint><navLabel><text>a</text></navLabel><content src=\"a.xhtml\"/>" * 50_000 + "</navPoint>" * 50_000
    yield "epub-contents-nested.epub", epub(item + toc, spine.replace("<spine>", '<spine toc="ncx">'), {
        "a.xhtml": page, "toc.ncx": f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{nested}</navMap></ncx>'})
    itself = '<item id="n" href="book.opf" properties="nav" media-type="application/xhtml+xml"/>'
    yield "epub-contents-are-the-book.epub", epub(item + itself, '<spine><itemref idref="n"/><itemref idref="a"/></spine>', {"a.xhtml": page})
    locked = '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">' \
        '<e:EncryptedData><e:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/>' \
        '<e:CipherData><e:CipherReference URI="a.xhtml"/></e:CipherData></e:EncryptedData></encryption>'
    yield "epub-locked.epub", epub(item, spine, {"META-INF/encryption.xml": locked, "META-INF/rights.xml": "<rights/>",
                                                 "a.xhtml": bytes(range(256)) * 9})
    up = '<item id="a" href="../../../etc/passwd" media-type="application/xhtml+xml"/>'
    yield "epub-chapter-elsewhere.epub", epub(up, spine, {})
    yield "epub-billion-laughs.epub", epub(item, spine, {"a.xhtml": LAUGHS + page.replace("1200", "&a12;")})


def files():
    for made in (words, sheets, opendocuments, slides, compounds, books):
        yield from made()
