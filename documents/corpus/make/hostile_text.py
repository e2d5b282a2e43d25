"""Pages, mails, subtitles and texts that try to harm their reader."""

import base64

from hostile_packed import packed


def pages():
    yield "html-spans.html", b"<table><tr><td colspan=4294967295 rowspan=4294967295>a<td rowspan=65534>b</table>" * 50
    yield "html-never-closed.html", b"<p>a</p><script>var a = '</scr'; <!-- <style> <title> <textarea> <plaintext> <svg><math>"
    yield "html-tables-in-tables.html", b"<table><td>" * 1_500 + b"a"
    # Each wrong end makes the parser rebuild what was open.
    yield "html-wrong-ends.html", b"<p>" + b"<b><i><a href=x><font>" * 400 + b"</p></b><p></i></a>" * 400
    yield "html-scripts.html", b"<body onload=alert(1)><iframe src=file:///etc/passwd></iframe><img src=http://127.0.0.1/a>" \
        b"<link rel=stylesheet href=http://127.0.0.1/b><meta http-equiv=refresh content='0;url=file:///etc/passwd'>" \
        b"<script>while(1);</script><p>Nothing runs here.</p>"
    yield "html-character-references.html", b"<p>&#x110000; &#xD800; &#99999999999999; &#0; &nosuch; &NotEqualTilde; a</p>"
    yield "html-charset-unknown.html", b"<meta charset=utf-7><p>+ADw-script+AD4-</p>\xff\xfe"


def mails():
    inner = b"From: a@example.org\nSubject: In\n\nThe end.\n"
    for depth in range(12):
        packed_mail = base64.b64encode(packed({"in.eml": inner}))
        inner = b"From: a@example.org\nSubject: Level %d\nMIME-Version: 1.0\nContent-Type: application/zip; name=in.zip\n" \
            b"Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=in.zip\n\n" % depth
        inner += b"\n".join(packed_mail[at:at + 76] for at in range(0, len(packed_mail), 76)) + b"\n"
        if depth == 5:
            yield "eml-zip-in-mail-in-zip.eml", inner
    head = b"From: a@example.org\nSubject: Parts\nMIME-Version: 1.0\n"
    mixed = b"Content-Type: multipart/mixed; boundary="
    yield "eml-same-boundary.eml", head + mixed + b"b\n\n" + (b"--b\n" + mixed + b"b\n\n") * 300 + b"text\n"
    yield "eml-boundary-missing.eml", head + mixed[:-10] + b"\n\n--\n--\n----\ntext\n"
    yield "eml-empty-boundary.eml", head + mixed + b'""\n\n' + b"--\n\ntext\n" * 500
    parts = b"".join(b" filename*%d=a;\n" % number for number in range(1_000))
    yield "eml-name-in-pieces.eml", head + mixed + b"b\n\n--b\nContent-Disposition: attachment;\n" + parts + b" x=y\n\ntext\n--b--\n"
    yield "eml-path-as-name.eml", head + mixed + b"b\n\n--b\nContent-Disposition: attachment; filename=\"../../../../etc/passwd\"\n\ntext\n--b--\n"
    yield "eml-encoding-junk.eml", head + b"Content-Type: text/plain; charset=no-such\nContent-Transfer-Encoding: base64\n\n" + b"=?!\xff" * 500
    words = b"=?utf-8?B?" + b"/" * 2_000 + b"?= =?no-such?Q?=ff=?= =?utf-8?Q?" + b"=" * 99
    yield "eml-words-junk.eml", b"From: " + words + b"\nSubject: " + words + b"\nDate: 99 Foo 99999999999 99:99:99 +9999\n\ntext\n"
    comments = b"From: " + b"(" * 9_999 + b"\nTo: " + b"<" * 9_999 + b"\nReceived: " + b"\"" * 9_999 + b"\n\ntext\n"
    yield "eml-comments-in-comments.eml", comments
    yield "mbox-not-one.mbox", b"From \n\nFrom\n>From \n>>From a\n" * 99


def subtitles():
    absurd = b"999999999999999999999:99:99,999 --> -1:00:00,000\n"
    yield "srt-absurd-times.srt", b"1\n" + absurd + b"Hello\n\n" + b"99999999999999999999\n00:00:02,000 --> 00:00:01,000\nback\n\n" \
        b"3\n18446744073709551615:00:00,000 --> 18446744073709551615:59:59,999\nlater\n\n4\n-->\n\n-->-->-->\n"
    yield "vtt-absurd-times.vtt", b"WEBVTT\n\n99999999999999999999:00.000 --> 00:00.000 line:1e999%\n" + b"<c>" * 4_000 + b"a\n\n" \
        b"STYLE\n::cue{}\n\nREGION\nid:a\n\nNOTE -->\n"


def texts():
    yield "text-utf-16-odd.txt", b"\xff\xfea\0b\0c"
    yield "text-utf-16-half.txt", b"\xfe\xff\xd8\x3d" * 99 + b"\xd8"
    yield "text-utf-32.txt", b"\xff\xfe\0\0a\0\0\0\xff\xff\xff\xff"
    yield "text-every-byte.txt", bytes(range(256)) * 40
    yield "text-zeros.csv", bytes(4_000)
    yield "text-directions.txt", ("\u202e\u2066\u200f# title\u0000\x1b]0;title\x07\x1b[2J" * 99).encode()
    yield "text-empty.txt", b""
    for ending in ("pdf", "docx", "xlsx", "xls", "ods", "epub", "html", "eml", "mbox", "zip", "tar", "gz", "srt"):
        yield f"empty.{ending}", b""
    yield "rtf-nested.rtf", b"{\\rtf1" + b"{" * 9_999 + b"}" * 9_999
    yield "program.docx", b"\x7fELF\2\1\1" + bytes(99)


def files():
    for made in (pages, mails, subtitles, texts):
        yield from made()
