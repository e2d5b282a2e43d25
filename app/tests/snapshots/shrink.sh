#!/bin/sh
# Brings redrawn pictures to the form in which the repository keeps them, and copies the one that the README shows.
#
# UPDATE_SNAPSHOTS=1 writes pictures of about 200 KB in true colour. With 256 colours and without dithering they have
# about 50 KB, and app/src/desktop/testing.rs compares with that. Pictures that have a palette stay as they are.
#
# Needs pngquant, 2.12 or newer (Debian, Homebrew: pngquant).
set -eu
cd "$(dirname "$0")/desktop"

for picture in *.png; do
    case $picture in
    *.new.png | *.old.png | *.diff.png) continue ;;
    esac
    # Byte 25 of a PNG is its colour type; 3 is a palette.
    if [ "$(od -An -tu1 -j25 -N1 "$picture" | tr -d ' ')" != 3 ]; then
        pngquant --nofs --speed 1 --strip --ext .png --force 256 "$picture"
    fi
done

cp run_busy_dark.png ../../../../docs/screenshots/run.png
