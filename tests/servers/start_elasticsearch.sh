#!/usr/bin/env bash
# start_elasticsearch.sh [FOLDER]: starts Elasticsearch 9.2.4 for tests, one node on 127.0.0.1 alone, without passwords,
# and prints its URL. FOLDER (default: a new one) holds its data.
#   ES_PORT       default: any free one
#   ES_HEAP       default 512m
#   END_WITH      id of a process; the server is stopped when that has ended
#   JAVA_HOME     a JDK of version 21 or later; by default java on the path, then those below /usr/lib/jvm
# Maven fetches it the first time: the build that Elastic publishes for the tests of plugins. It has few modules.
# Stop it with: stop.sh FOLDER
set -euo pipefail
# shellcheck source=running.bash
. "$(dirname "${BASH_SOURCE[0]}")/running.bash"
version=9.2.4
sha512=5da6465950f7d26ca293794ead3d840f0698ce99bb15b5db7d10c19199e3431dba21c83c737f4befa4fc282e12e5f215343a4cb7da52ac85e52b0c488e7b7057

fetch() { # folder
  local got=$1/download zip
  zip=$got/elasticsearch-$version.zip
  command -v mvn > /dev/null || give_up "Maven is missing, which fetches Elasticsearch; install it"
  mvn -B -q -Dstyle.color=never "-Dmaven.repo.local=$got/repository" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
    "-Dartifact=org.elasticsearch.distribution.integ-test-zip:elasticsearch:$version:zip" "-DoutputDirectory=$got" >&2 ||
    give_up "Maven could not fetch Elasticsearch $version"
  printf '%s  %s\n' "$sha512" "$zip" | sha512sum --check --status || give_up "the fetched $zip has another sha512"
  "$PYTHON" -m zipfile -e "$zip" "$1"
  rm -rf "$got"
  chmod +x "$1/elasticsearch-$version"/bin/*
  chmod -R a+rX "$1"
}

java_home() { # of the first JDK that is new enough
  local home found
  for home in "${JAVA_HOME:-}" "$(readlink -f "$(command -v java || true)" | sed 's,/bin/java$,,')" /usr/lib/jvm/*; do
    [ -x "$home/bin/java" ] || continue
    found=$("$home/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
    if [ "${found:-0}" -ge 21 ]; then
      printf '%s\n' "$home"
      return 0
    fi
  done
  return 1
}

java=$(java_home) || give_up "no JDK of version 21 or later is found; install one, or set JAVA_HOME"
fetch_once "elasticsearch-$version" fetch
program=$PROGRAMS/elasticsearch-$version/elasticsearch-$version

folder=$(own_folder "${1:-}")
port=${ES_PORT:-$(free_port)}
place=$folder/elasticsearch
mkdir -p "$place/data" "$place/logs" "$place/tmp"
rm -rf "$place/config" "$place/pid"
cp -r "$program/config" "$place/config"
cat > "$place/config/elasticsearch.yml" << YML
cluster.name: drretail-tests
path.data: $place/data
path.logs: $place/logs
network.host: 127.0.0.1
http.port: $port
transport.port: $(free_port)
discovery.type: single-node
node.store.allow_mmap: false
cluster.routing.allocation.disk.threshold_enabled: false
xpack.security.enabled: false
YML
as_nobody=()
if [ "$(id -u)" = 0 ]; then # which Elasticsearch refuses to run as
  as_nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all)
  chown -R nobody:nogroup "$place"
  "${as_nobody[@]}" test -x "$place" || give_up "the user nobody cannot enter $place; set DRRETAIL_TEST_SERVERS"
fi
log=$folder/elasticsearch.log
(
  cd "$place"
  exec env HOME="$place" ES_JAVA_HOME="$java" ES_PATH_CONF="$place/config" ES_TMPDIR="$place/tmp" \
    ES_JAVA_OPTS="-Xms${ES_HEAP:-512m} -Xmx${ES_HEAP:-512m}" CLI_JAVA_OPTS="-Xmx128m" \
    timeout 120 "${as_nobody[@]}" "$program/bin/elasticsearch" -d -p "$place/pid"
) < /dev/null > "$log" 2>&1 || {
  tail -n 20 "$log" >&2
  give_up "Elasticsearch did not start; its log is above"
}
for _ in {1..50}; do
  if [ -s "$place/pid" ]; then break; fi
  sleep 0.2
done
remember "$folder" elasticsearch "$(tr -d '[:space:]' < "$place/pid")"
url="http://127.0.0.1:$port"
await elasticsearch "$url" 120 "$folder" "$log"
end_with "$folder" "${END_WITH:-}"
note "stop it with: $here/stop.sh $folder"
printf '%s\n' "$url"
