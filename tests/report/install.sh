#!/usr/bin/env bash
# What the tests of the report in a browser need: Debian's Chromium, and axe-core in the folder given. The file `ready`
# there says that both are in place, and from then on a test without them fails. Where they are not there and cannot be
# installed (no root, no apt, no network after three tries), it says so, and these tests are skipped.
set -euo pipefail
axe=axe-core@4.14.0
folder=$1

bring() {
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "no $1, and neither root nor apt to install it: tests in a browser are skipped"
    exit 0
  fi
  thrice apt-get update -q
  DEBIAN_FRONTEND=noninteractive thrice apt-get install -q -y --no-install-recommends "$@"
}

thrice() {
  for pause in 2 10 0; do
    if "$@"; then return; fi
    sleep "$pause"
  done
  echo "this failed three times: $*; tests in a browser are skipped"
  exit 0
}

command -v chromium >/dev/null || bring chromium fonts-dejavu-core
command -v npm >/dev/null || bring npm
mkdir -p "$folder"
thrice npm install --silent --no-save --no-package-lock --no-audit --no-fund --prefix "$folder" "$axe"
touch "$folder/ready"
