#!/bin/sh
# backup.sh SRC DEST: packs a folder into DEST.
set -eu
tar -cf "$2/backup.tar" -C "$1" .
