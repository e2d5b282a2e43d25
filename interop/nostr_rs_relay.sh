#!/usr/bin/env bash
# Builds nostr-rs-relay, a relay of another make in Rust, into a folder, once. It takes some minutes and 1 GB meanwhile.
#
# usage: nostr_rs_relay.sh FOLDER
set -euo pipefail
version=0.8.12
mkdir -p "$1"
folder=$(realpath "$1")
[ -e "$folder/complete-$version" ] && exit
if ! command -v protoc > /dev/null || ! command -v cc > /dev/null || ! command -v cmake > /dev/null; then
  apt-get update -q
  apt-get install -qy --no-install-recommends protobuf-compiler cmake gcc g++ make pkg-config libssl-dev
fi
# With the versions that its authors tried; outside of this workspace, whose settings are not meant for it.
cd /
CARGO_TARGET_DIR="$folder/build" cargo install --quiet --locked --root "$folder" "nostr-rs-relay@$version"
rm -rf "$folder/build"
touch "$folder/complete-$version"
