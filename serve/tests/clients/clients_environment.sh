#!/usr/bin/env bash
# Makes an environment of the clients in requirements.txt, without what they never read here: tests, dictionaries of
# languages, compiled modules and symbols for debuggers.
#
# usage: clients_environment.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")"
environment=$1
pip=$(mktemp -d)
trap 'rm -rf "$pip"' EXIT

rm -rf "$environment"
# The installer is as large as its smaller packages: it stays outside.
python3 -m venv "$pip"
python3 -m venv --without-pip "$environment"
"$pip/bin/pip" --python "$environment/bin/python" install -q --disable-pip-version-check --no-compile --no-deps \
  -r requirements.txt
packages=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
rm -rf "$packages/llama_index/core/_static/nltk_cache"
find "$packages" -type d -name tests -prune -exec rm -rf {} +
# The libraries of numpy cannot be read any more when their symbols are gone.
for name in zstandard pydantic_core greenlet xxhash yaml orjson; do
  strip --strip-unneeded "$packages/$name"/*.so
done
touch "$environment/complete"
