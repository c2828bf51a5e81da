#!/usr/bin/env bash
# stop.sh FOLDER [PID]: ends the servers that were started with this folder, and no other process, and removes their
# data; with PID, as soon as that process has ended.
set -euo pipefail
# shellcheck source=running.bash
. "$(dirname "${BASH_SOURCE[0]}")/running.bash"
folder=${1:?usage: stop.sh FOLDER [PID]}

if [ -n "${2:-}" ] && start=$(started_at "$2"); then
  while [ -d "$folder" ] && [ "$(started_at "$2")" = "$start" ]; do sleep 0.5; done
fi

gone() { # kind tenths-of-a-second
  local i
  for ((i = 0; i < $2; i++)); do
    remembered "$folder" "$1" > /dev/null || return 0
    sleep 0.1
  done
  return 1
}

for kind in mongo elasticsearch; do
  if [ -e "$folder/$kind.process" ] && pid=$(remembered "$folder" "$kind"); then
    kill -TERM "$pid"
    if ! gone "$kind" 200; then
      kill -KILL "$pid"
      gone "$kind" 100 || give_up "$kind (process $pid) cannot be ended"
    fi
  fi
  rm -rf "${folder:?}/$kind" "$folder/$kind."{process,log,url,failed}
done
rm -f "$folder"/{watched,lock}
if [ -d "$folder" ]; then rmdir --ignore-fail-on-non-empty "$folder"; fi
