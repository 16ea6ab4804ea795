#!/bin/sh
# Serve the study in /study.  PGPASSWORD_FILE names a file with the password of the database, which so stands neither in
# the list of processes nor in the image; DATABASE is its address, without the password.
set -eu
folder="${STUDY:-/study}"
if [ -n "${PGPASSWORD_FILE:-}" ]; then
  PGPASSWORD="$(cat "$PGPASSWORD_FILE")"
  export PGPASSWORD
fi
if [ "${1:-}" = annotate ]; then # another command, with the password of the database: serve annotate invite /study
  exec truegain "$@" ${DATABASE:+--database "$DATABASE"}
fi
if [ ! -e "$folder/judging.toml" ]; then
  echo "There is no study in $folder (no judging.toml). Make one with truegain annotate init, and mount its folder there." >&2
  exit 2
fi
exec truegain annotate serve "$folder" --host 0.0.0.0 --port "${PORT:-8000}" ${DATABASE:+--database "$DATABASE"} "$@"
