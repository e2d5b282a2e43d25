#!/usr/bin/env bash
# The figures of the document readers in docs/benchmarks.md: pages of PDF a second, large Office files, a log of 1 GB, and the
# corpus beside Debian's pdftotext. Needs Python 3, poppler-utils and poppler-data (without which pdftotext reads no Chinese),
# 3 GB in the folder for temporary files, and a machine that does little else. Times are of the processor where they are short.
#
#     documents/corpus/figures.sh            # builds with the profile `release`
#     PROFILE=ci documents/corpus/figures.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/frlm-target}"
profile="${PROFILE:-release}"
examples="$CARGO_TARGET_DIR/$profile/examples"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cargo build --quiet --profile "$profile" -p frlm-documents --examples
cargo build --quiet --profile "$profile" -p frlm-conductor --example ingest_speed
grep -m1 "model name" /proc/cpuinfo
uptime

printf '\n== pages of PDF\n'
"$examples/read" --time 10 documents/corpus/report/*.pdf
"$examples/read" --time 10 documents/corpus/pdf/*.pdf | tail -n 1
(time pdftotext documents/corpus/report/incidents.pdf /dev/null) 2>&1 | grep user | sed 's/^user/pdftotext, incidents.pdf:/'

printf '\n== large Office files\n'
python3 documents/corpus/make/office_large.py "$folder"
for file in "$folder"/large.*; do
  (time "$examples/office_speed" "$file") 2>&1 | grep -v '^$'
done

printf '\n== a log of 1 GB\n'
python3 - "$folder/server.log" <<'PYTHON'
import sys

with open(sys.argv[1], "w") as log:
    line = written = 0
    while written < 1_000_000_000:
        lines = "".join(
            f"2026-11-20T12:{line // 60 % 60:02}:{line % 60:02}Z INFO request id={line} user=alice path=/api/v1/orders "
            f"status=200 took={line % 977}ms\n"
            for line in range(line, line + 10_000)
        )
        line += 10_000
        written += log.write(lines)
PYTHON
(time "$examples/ingest_speed" "$folder/server.log") 2>&1 | grep -v '^$'

printf '\n== the corpus\n\n'
python3 documents/corpus/score.py "$examples/read"
