# shellcheck shell=bash
# What the scripts beside this file share. Sourced, never run.
#
# Programs are fetched once into $PROGRAMS. What a server writes (data, log, process id) lies in a folder of its own, so
# that servers of several test runs, and those that a developer runs, stay out of each other's way.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PYTHON=${PYTHON:-python3}
if [ -z "${DRRETAIL_TEST_SERVERS:-}" ]; then
  if [ "$(id -u)" = 0 ]; then
    DRRETAIL_TEST_SERVERS=/var/tmp/drretail-test-servers # root's servers run as nobody, whom root's home is closed to
  else
    DRRETAIL_TEST_SERVERS=${XDG_CACHE_HOME:-$HOME/.cache}/drretail-test-servers
  fi
fi
PROGRAMS=$DRRETAIL_TEST_SERVERS/programs
mkdir -p "$PROGRAMS"

note() { printf '%s\n' "$*" >&2; }

give_up() { # the last line of stderr is why
  note "$*"
  exit 1
}

own_folder() { # [folder] -> its full path, a new one beside the programs by default
  local folder=${1:-}
  if [ -z "$folder" ]; then folder=$(mktemp -d "$DRRETAIL_TEST_SERVERS/run-XXXXXX"); fi
  mkdir -p "$folder"
  chmod 755 "$folder"
  (cd "$folder" && pwd)
}

free_port() {
  "$PYTHON" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

fetch_once() { # name function: runs the function unless the program is there; one process at a time
  (
    flock -w 900 9 || give_up "another process has been fetching $1 for 15 minutes"
    if [ ! -e "$PROGRAMS/$1" ]; then
      note "fetching $1"
      rm -rf "$PROGRAMS/$1.part"
      mkdir "$PROGRAMS/$1.part"
      "$2" "$PROGRAMS/$1.part"
      mv "$PROGRAMS/$1.part" "$PROGRAMS/$1"
    fi
  ) 9> "$PROGRAMS/$1.lock"
}

# Process ids are used again; together with the time of its start one means the same process for ever.
started_at() { # pid
  local fields
  fields=$(sed 's/^.*) //' "/proc/$1/stat" 2> /dev/null) || return 1
  awk '$1 ~ /[ZX]/ { exit 1 } { print $20 }' <<< "$fields"
}

remember() { # folder kind pid
  printf '%s %s\n' "$3" "$(started_at "$3")" > "$1/$2.process"
}

remembered() { # folder kind -> pid, while that process runs
  local pid start
  read -r pid start < "$1/$2.process" || return 1
  [ "$(started_at "$pid")" = "$start" ] && printf '%s\n' "$pid"
}

end_with() { # folder pid: stops the folder's servers when that process has ended
  if [ -n "$2" ] && [ ! -e "$1/watched" ]; then
    touch "$1/watched"
    # In a session of its own, for what ends a test run often ends its whole process group.
    setsid "$here/stop.sh" "$1" "$2" < /dev/null > /dev/null 2>&1 &
  fi
}

await() { # kind url seconds folder log: until the server answers; else stops it and says what it said
  if ! "$PYTHON" "$here/answering.py" "$1" "$2" "$3"; then
    tail -n 20 "$5" >&2
    "$here/stop.sh" "$4"
    give_up "$1 did not start within $3 seconds; its log is above"
  fi
}
