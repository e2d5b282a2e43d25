#!/usr/bin/env python3
"""Makes large Office files to measure with: a DOCX of about 10 MB and an XLSX of 200,000 rows.

    python3 documents/corpus/make/office_large.py FOLDER

Needs nothing. The same bytes each time.
"""

import pathlib
import random
import sys
import zipfile

from office_handmade import HEAD, R, WORD, relations


def words(random_state, count):
    return " ".join(f"{random_state.getrandbits(40):x}" if random_state.random() < 0.4 else "the clause" for _ in range(count))


def packed(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in members.items():
            made.writestr(zipfile.ZipInfo(name, (2024, 3, 1, 8, 30, 0)), HEAD + text, zipfile.ZIP_DEFLATED)


def large_docx(path):
    state, body = random.Random(7), []
    run = '<w:r w:rsidR="00A77B3E"><w:rPr><w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="22"/></w:rPr><w:t xml:space="preserve">{} </w:t></w:r>'
    for number in range(52_000):
        style = '<w:pPr><w:pStyle w:val="Heading2"/></w:pPr>' if number % 50 == 0 else '<w:pPr><w:jc w:val="both"/></w:pPr>'
        body.append(f"<w:p>{style}{''.join(run.format(words(state, 12)) for _ in range(5))}</w:p>")
        if number % 100 == 0:
            cell = "<w:tc><w:p>" + run + "</w:p></w:tc>"
            rows = "".join("<w:tr>" + "".join(cell.format(words(state, 2)) for _ in range(4)) + "</w:tr>" for _ in range(20))
            body.append(f"<w:tbl>{rows}</w:tbl>")
    packed(
        path,
        {
            "_rels/.rels": relations(("officeDocument", "word/document.xml")),
            "word/document.xml": f"<w:document {WORD}><w:body>{''.join(body)}</w:body></w:document>",
        },
    )


def large_xlsx(path):
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    state, rows = random.Random(7), []
    for row in range(1, 200_001):
        cells = "".join(f'<c r="{column}{row}"><v>{state.random() * 1000:.4f}</v></c>' for column in "CDEF")
        rows.append(f'<row r="{row}"><c r="A{row}"><v>{row}</v></c><c r="B{row}" t="s"><v>{row % 5000}</v></c>{cells}</row>')
    strings = "".join(f"<si><t>customer {index} of town {state.getrandbits(30)}</t></si>" for index in range(5000))
    packed(
        path,
        {
            "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook {main} xmlns:r="{R}"><sheets><sheet name="Orders" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml")),
            "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{''.join(rows)}</sheetData></worksheet>",
            "xl/sharedStrings.xml": f"<sst {main}>{strings}</sst>",
        },
    )


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    large_docx(folder / "large.docx")
    large_xlsx(folder / "large.xlsx")
