#!/usr/bin/env bash
# Builds nostr-rs-relay, a relay of another make in Rust, into a folder, once. It takes some minutes and 1 GB meanwhile.
#
# usage: nostr_rs_relay.sh FOLDER
set -euo pipefail
version=0.8.12
mkdir -p "$1"
folder=$(realpath "$1")
[ -e "$folder/complete-$version" ] && exit
if ! command -v protoc > /dev/null || ! command -v cc > /dev/null || ! pkg-config --exists openssl; then
  apt-get update -q
  apt-get install -qy --no-install-recommends protobuf-compiler gcc make pkg-config libssl-dev
fi

# Outside of this workspace, whose settings are not meant for it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cargo info --quiet "nostr-rs-relay@$version" > /dev/null # downloads its sources
cp -r "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"nostr-rs-relay-$version/." .
# With the versions that its authors tried, but for `time`: no compiler since Rust 1.80 takes theirs.
cargo update --quiet --package time@0.3.25 --precise 0.3.36
# A build that was stopped goes on where it was.
CARGO_TARGET_DIR="$folder/build" cargo install --quiet --locked --path . --root "$folder"
rm -rf "$folder/build"
touch "$folder/complete-$version"
