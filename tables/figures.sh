#!/bin/sh
# Measures how fast large files become tables and are asked, beside sqlite3 on the same machine in the same run; with DuckDB for
# information, where FRLM_PYTHON can import it (`pip install duckdb`). Of all, the processor's time: a busy machine changes that least.
#
# Usage: tables/figures.sh [ROWS OF CSV] [LINES OF LOG]; by default 12 million rows, about 1 GB, and 10 million lines.
# Needs Linux, Python 3.9, GNU time, the program sqlite3, and FRLM_LOAD, the example `load` of a release build:
#   cargo build --release -p frlm-tables --example load
set -eu
rows=${1:-12000000}
lines=${2:-10000000}
load=${FRLM_LOAD:-target/release/examples/load}
python=${FRLM_PYTHON:-python3}
folder=$(mktemp -d "${TMPDIR:-/tmp}/frlm-figures.XXXXXX")
trap 'rm -rf "$folder"' EXIT

python3 - "$folder" "$rows" "$lines" <<'PYTHON'
import random, sys
folder, rows, lines = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(7)
# A block of rows again and again, under other numbers: as fast as the disk writes.
regions, states = ["north", "south", "east", "west"], ["open", "paid", "cancelled"]
block = [f',{rng.choice(["Ada", "Bob", "Cem", "Dora"])} {rng.randrange(5000)},{rng.choice(regions)},{rng.randrange(500, 990000) / 100:.2f},'
         f'{rng.choice(states)},2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02},"note {rng.randrange(1000)}, as said on the phone"\n' for _ in range(10000)]
with open(f"{folder}/orders.csv", "w") as out:
    out.write("id,customer,region,amount,status,date,note\n")
    for start in range(0, rows, 10000):
        out.write("".join(f"{start + index}{row}" for index, row in enumerate(block[: rows - start])))
block = [f' level={rng.choice(["info", "warn", "error"])} host=web{rng.randrange(9)} latency={rng.randrange(1, 9000)}ms status={rng.choice([200, 404, 500])} path=/api/{rng.randrange(200)}\n' for _ in range(10000)]
with open(f"{folder}/requests.log", "w") as out:
    for start in range(0, lines, 10000):
        second = start // 10000
        time = f"time=2026-03-{1 + second // 86400:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        out.write("".join(time + row for row in block[: lines - start]))
PYTHON

ls -l "$folder" | awk 'NR > 1 { print $9, $5, "bytes" }'
sql="SELECT count(*), sum(amount) FROM orders WHERE region = 'north'"
echo "== CSV, frlm-tables: made and kept, then opened"
"$load" "$folder/orders.csv" "$sql" "$folder/tables"
"$load" "$folder/orders.csv" "$sql" "$folder/tables"
ls -l "$folder/tables" | awk 'NR > 1 { print "table", $5, "bytes", $1 }'
rm -r "$folder/tables"
echo "== CSV, sqlite3 .import"
/usr/bin/time -f "import_secs %e processor_secs %U + %S peak_kib %M" sqlite3 "$folder/orders.db" '.mode csv' \
    'PRAGMA journal_mode=OFF' 'PRAGMA synchronous=OFF' ".import $folder/orders.csv orders"
printf '.timer on\n%s;\n%s;\n%s;\n%s;\n%s;\n' "$sql" "$sql" "$sql" "$sql" "$sql" | sqlite3 "$folder/orders.db" | grep Run
rm "$folder/orders.db"
if "$python" -c 'import duckdb' 2> /dev/null; then
    echo "== CSV, DuckDB"
    "$python" - "$folder" "$sql" <<'PYTHON'
import duckdb, resource, sys, time
def timed(what, work):
    used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    start, before = time.time(), used()
    work()
    print(f"{what}_secs {time.time() - start:.3f} processor_secs {used() - before:.2f}")
database = duckdb.connect(f"{sys.argv[1]}/orders.duckdb")
timed("import", lambda: database.execute(f"CREATE TABLE orders AS SELECT * FROM '{sys.argv[1]}/orders.csv'"))
for _ in range(5):
    timed("query", lambda: database.execute(sys.argv[2]).fetchall())
print("duckdb", duckdb.__version__, "peak_mib", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
PYTHON
    rm "$folder/orders.duckdb"
fi
rm "$folder/orders.csv"
echo "== log, frlm-tables: made and kept, then opened"
sql="SELECT count(*), avg(latency) FROM requests WHERE host = 'web3'"
"$load" "$folder/requests.log" "$sql" "$folder/tables"
"$load" "$folder/requests.log" "$sql" "$folder/tables"
