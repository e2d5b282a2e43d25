#!/usr/bin/env bash
# Asks over documents through `frlm serve` with clients that share no code with ours: Python's `openai`, LangChain's
# ChatOpenAI and LlamaIndex's OpenAILike, unchanged but for the address and the model's name. Makes an environment of its
# own in the target directory, once for each list of packages. Anything that is missing fails.
#
# usage: clients.sh [PATH_TO_FRLM]; by default what the workspace's tests have built
set -euo pipefail
cd "$(dirname "$0")/clients"
target="${CARGO_TARGET_DIR:-$HOME/.cache/frlm-target}"
frlm="${1:-$target/ci/frlm}"
most_mb=150

# Some systems ship Python without the part that makes environments.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  apt-get update -q
  apt-get install -qy --no-install-recommends python3 python3-venv
fi
list=$(cat requirements.txt clients_environment.sh | sha256sum | cut -c1-16)
environment="$target/serve-clients-$list"
[ -e "$environment/complete" ] || bash clients_environment.sh "$environment"
used_mb=$(du -sm "$environment" | cut -f1)
[ "$used_mb" -le "$most_mb" ] || { echo "clients: the environment takes $used_mb MB, at most $most_mb should"; exit 1; }
echo "clients: an environment of $used_mb MB"
# Compiled modules would not have room.
PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" ask.py "$frlm"
