#!/usr/bin/env bash
# Tries the chart on the cluster of the current context, and prints a table: install, helm test, upgrade to
# another build, deleted pods, a drained node, new passwords of the stores, new replicas and a rollback, under load with open streams.
#   IMAGE_PREFIX=tollgate TAG=try1 NEXT_TAG=try2 deploy/helm/try.sh
# The images of both tags must be on the nodes or in a registry. RATE is requests a second, STREAMS the
# number of open streams. BUSY=1 makes the deadlines of decisions ten times as long, for a machine that is
# busy with other work, where a process may not run for half a second; without floats, which allow none as
# long. Needs kubectl, helm, node and openssl. It removes what it made, unless KEEP=1.
set -euo pipefail
cd "$(dirname "$0")"
export IMAGE_PREFIX=${IMAGE_PREFIX:-tollgate} TAG=${TAG:-try1} RATE=${RATE:-200} STREAMS=${STREAMS:-20}
export MAX_SECONDS=${MAX_SECONDS:-1500} NAMESPACE=${NAMESPACE:-tollgate-try}
export POSTGRES_IMAGE=${POSTGRES_IMAGE:-postgres:17-alpine} REDIS_IMAGE=${REDIS_IMAGE:-redis:7-alpine}
NEXT_TAG=${NEXT_TAG:-try2} STORES=$NAMESPACE-stores
POSTGRES_PASSWORD=$(openssl rand -hex 16) REDIS_PASSWORD=$(openssl rand -hex 16) ADMIN_PASSWORD=$(openssl rand -hex 12)
export POSTGRES_PASSWORD REDIS_PASSWORD
results=$(mktemp) failures=0
say() { echo "== $* ($(date +%T))" >&2; }
k() { kubectl --namespace "$NAMESPACE" "$@"; }
template() { eval "cat <<EOF
$(< "$1")
EOF"; }
row() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >> "$results"; }
verdict() { # title, figures, whether it held (0 or 1)
  if [ "$3" = 0 ]; then row "$1" "$2" ok; else row "$1" "$2" FAILED; failures=$((failures + 1)); fi
}

cleanup() {
  local code=$?
  [ -z "${forward:-}" ] || kill "$forward" 2> /dev/null || :
  for node in ${drained:-}; do kubectl uncordon "$node" > /dev/null || :; done
  [ -n "${KEEP:-}" ] || { helm uninstall tollgate --namespace "$NAMESPACE" > /dev/null 2>&1 || :
    kubectl delete namespace "$NAMESPACE" "$STORES" --wait=false > /dev/null 2>&1 || :; }
  echo
  { printf 'step\tfigures\t\n'; cat "$results"; } | column -t -s $'\t'
  rm -f "$results"
  exit $((code != 0 ? code : failures > 0))
}
trap cleanup EXIT

values=(--set "image.prefix=$IMAGE_PREFIX" --set "edge.upstreamAllowedCidrs={10.0.0.0/8:9090}"
  --set "catalog.upstreamAllowedCidrs={10.0.0.0/8:9090}" --set tests.apiKeySecret=try
  --set 'networkPolicy.upstreams[0].ports[0].port=9090'
  --set edge.resources.requests.cpu=80m,policy.resources.requests.cpu=80m,catalog.resources.requests.cpu=80m,admin.resources.requests.cpu=50m)
[ -z "${BUSY:-}" ] || values+=(
  --set edge.env.POLICY_DEADLINE_MS=5000,edge.env.POLICY_QUEUE_MS=5000
  --set policy.env.FLOATS=off,policy.env.ITEM_DEADLINE_MS=4500,policy.env.REDIS_DEADLINE_MS=2500,policy.env.CATALOG_DEADLINE_MS=1500)
release() { # tag, more values
  local tag=$1; shift
  helm upgrade --install tollgate tollgate --namespace "$NAMESPACE" --values values/minimal.yaml \
    "${values[@]}" --set "image.tag=$tag" "$@" --wait --timeout 8m > /dev/null
}

# Ends a phase of the load, and begins another one.
phase() { kubectl --namespace "$STORES" exec load -- node -e \
  "fetch('http://127.0.0.1:7000/phase?name=$1').then(a => a.text()).then(t => console.log(t))"; }
field() { node -pe "const it = JSON.parse(process.argv[1]); $2" "$1"; }
judge() { # title: what the load saw during a step
  local seen figures
  seen=$(phase between)
  echo "$seen" >&2
  figures=$(field "$seen" '`${it.failed} of ${it.sent} failed, ${it.streams.complete} streams complete; ${it.rate}/s, p50 ${it.p50} ms, p99 ${it.p99} ms, ${it.seconds} s${it.failed ? " " + JSON.stringify(it.failures) : ""}`')
  verdict "$1" "$figures" "$(field "$seen" 'it.failed === 0 && it.sent > 0 && it.streams.started + it.streams.complete > 0 ? 0 : 1')"
}
settled() { # every pod is ready, and none is ending
  local name
  for name in edge policy catalog admin; do k rollout status "deployment/tollgate-$name" --timeout=5m > /dev/null; done
  for _ in $(seq 120); do
    [ -n "$(k get pods --output jsonpath='{range .items[?(@.metadata.deletionTimestamp)]}{.metadata.name}{end}')" ] || return 0
    sleep 2
  done
  return 1
}
pods() { k get pods --selector "app.kubernetes.io/component=$1" --field-selector status.phase=Running \
  --output jsonpath='{range .items[?(!@.metadata.deletionTimestamp)]}{.metadata.name}{"\n"}{end}' 2> /dev/null \
  || k get pods --selector "app.kubernetes.io/component=$1" --output name | sed 's|pod/||'; }
# The sum of a counter of one pod, read through the API server.
counter() { # pod, port, pattern
  kubectl get --raw "/api/v1/namespaces/$NAMESPACE/pods/$1:$2/proxy/metrics" | grep -E "^$3" | awk '{ sum += $NF } END { printf "%d", sum }'
}
spread() { # service, port, pattern, seconds: what each pod has done in that time
  local pod; declare -A before
  for pod in $(pods "$1"); do before[$pod]=$(counter "$pod" "$2" "$3"); done
  sleep "$4"
  for pod in $(pods "$1"); do echo "$(($(counter "$pod" "$2" "$3") - before[$pod]))"; done | paste -sd' ' -
}
even() { # the least is at least half of the most
  tr ' ' '\n' <<< "$1" | sort -n | awk 'NR == 1 { least = $1 } { most = $1 } END { exit !(least > 0 && least * 2 >= most) }'
}

say "stores and namespaces"
kubectl create namespace "$STORES" > /dev/null
kubectl create namespace "$NAMESPACE" > /dev/null
kubectl label namespace "$NAMESPACE" pod-security.kubernetes.io/enforce=restricted > /dev/null
template try/stores.yaml | kubectl --namespace "$STORES" apply --filename - > /dev/null
for name in postgresql redis simulator; do kubectl --namespace "$STORES" rollout status "deployment/$name" --timeout=3m > /dev/null; done
k create secret generic tollgate \
  --from-literal=DATABASE_URL="postgres://tollgate:$POSTGRES_PASSWORD@postgresql.$STORES:5432/tollgate" \
  --from-literal=REDIS_URL="redis://:$REDIS_PASSWORD@redis.$STORES:6379" \
  --from-literal=JWT_SECRET="$(openssl rand -hex 32)" --from-literal=HOLD_TOKEN_SECRET="$(openssl rand -hex 32)" \
  --from-literal=KEY_ENCRYPTION_KEYS="k1:$(openssl rand -base64 32)" \
  --from-literal=EDGE_TOKEN="$(openssl rand -hex 24)" --from-literal=POLICY_TOKEN="$(openssl rand -hex 24)" \
  --from-literal=ADMIN_TOKEN="$(openssl rand -hex 24)" --from-literal=BOOTSTRAP_ADMIN_PASSWORD="$ADMIN_PASSWORD" > /dev/null

say "install"
seconds=$SECONDS
release "$TAG"
row "helm install, until every pod is ready" "$((SECONDS - seconds)) s" ok
violations=$(k get events --output jsonpath='{range .items[*]}{.message}{"\n"}{end}' | grep -c 'violates PodSecurity' || true)
count=$(k get pods --selector app.kubernetes.io/part-of=tollgate --output name | wc -l)
verdict "pods admitted with the level restricted enforced" "$count pods, $violations violations" "$((violations != 0 || count == 0))"

kubectl --namespace "$NAMESPACE" port-forward service/tollgate-catalog 18081:8081 > /dev/null & forward=$!
for _ in $(seq 50); do curl --silent --output /dev/null http://127.0.0.1:18081/api/openapi.json && break; sleep .2; done
key=$(CATALOG_URL=http://127.0.0.1:18081 EMAIL=you@example.com PASSWORD=$ADMIN_PASSWORD \
  UPSTREAM_URL=http://simulator.$STORES:9090/v1 node try/seed.mjs)
kill "$forward"
forward=
for namespace in "$NAMESPACE" "$STORES"; do kubectl --namespace "$namespace" create secret generic try --from-literal=apiKey="$key" > /dev/null; done

say "helm test"
if said=$(helm test tollgate --namespace "$NAMESPACE" --timeout 3m 2>&1); then verdict "helm test, a chat among it" passed 0; else echo "$said"; verdict "helm test, a chat among it" failed 1; fi

say "load"
kubectl --namespace "$STORES" create configmap try --from-file=try/load.mjs > /dev/null
template try/load.yaml | kubectl --namespace "$STORES" apply --filename - > /dev/null
kubectl --namespace "$STORES" wait --for=condition=Ready pod/load --timeout=2m > /dev/null
sleep 25
phase baseline > /dev/null
sleep 30
judge "30 s of load, nothing else"

say "upgrade to another build"
phase upgrade > /dev/null
release "$NEXT_TAG"
settled
judge "helm upgrade $TAG to $NEXT_TAG, until old pods have ended"

for name in edge policy catalog admin; do
  say "delete a pod of $name"
  phase "delete $name" > /dev/null
  k delete pod "$(pods $name | head -1)" > /dev/null
  settled
  judge "kubectl delete pod, $name"
done

say "drain"
phase drain > /dev/null
drained=$(kubectl get nodes --output jsonpath='{.items[0].metadata.name}')
kubectl drain "$drained" --ignore-daemonsets --delete-emptydir-data --timeout=60s \
  --pod-selector=app.kubernetes.io/part-of=tollgate > /dev/null 2>&1 || :
left=$(for name in edge policy catalog; do echo "$name $(k get deployment "tollgate-$name" --output jsonpath='{.status.readyReplicas}')"; done | paste -sd, -)
kubectl uncordon "$drained" > /dev/null; drained=
settled
judge "drain of a node for 60 s, then uncordon"
verdict "pods ready during the drain (of 2 each)" "$left" "$(grep -qE '(^| )(0|$)' <<< "$left" && echo 1 || echo 0)"

say "new passwords of PostgreSQL and Redis"
phase passwords > /dev/null
sql() { kubectl --namespace "$STORES" exec deployment/postgresql -- psql --quiet --username tollgate --dbname tollgate --command "$1" > /dev/null; }
redis() { kubectl --namespace "$STORES" exec deployment/redis -- redis-cli --no-auth-warning -a "$REDIS_PASSWORD" "$@"; }
postgres_next=$(openssl rand -hex 16) redis_next=$(openssl rand -hex 16)
sql "CREATE ROLE tollgate_2 LOGIN PASSWORD '$postgres_next' IN ROLE tollgate; ALTER ROLE tollgate_2 SET role = 'tollgate'"
redis ACL SETUSER default ">$redis_next" > /dev/null
k patch secret tollgate --type merge --patch "{\"stringData\": {
  \"DATABASE_URL\": \"postgres://tollgate_2:$postgres_next@postgresql.$STORES:5432/tollgate\",
  \"REDIS_URL\": \"redis://:$redis_next@redis.$STORES:6379\"}}" > /dev/null
for name in policy catalog; do k rollout restart "deployment/tollgate-$name" > /dev/null; done
settled
sql "ALTER ROLE tollgate PASSWORD NULL"
redis ACL SETUSER default "<$REDIS_PASSWORD" > /dev/null
REDIS_PASSWORD=$redis_next
judge "other passwords of PostgreSQL and Redis, the old ones removed"
roles=$(kubectl --namespace "$STORES" exec deployment/postgresql -- psql --username tollgate --dbname tollgate --no-align --tuples-only --command \
  "SELECT (SELECT count(*) FROM pg_stat_activity WHERE usename = 'tollgate_2'), (SELECT count(*) FROM pg_stat_activity WHERE usename = 'tollgate' AND client_addr IS NOT NULL)")
verdict "connections to PostgreSQL of the new and of the old role" "$roles" "$(grep -qE '^[1-9][0-9]*[|]0$' <<< "$roles" && echo 0 || echo 1)"

say "new replicas"
phase scale > /dev/null
release "$NEXT_TAG" --set edge.replicas=4,policy.replicas=3
newest=$(k get pods --selector app.kubernetes.io/component=policy --sort-by=.metadata.creationTimestamp --output name | tail -1 | sed 's|pod/||')
ready=$(k get pod "$newest" --output jsonpath='{.status.conditions[?(@.type=="Ready")].lastTransitionTime}')
first=none
for _ in $(seq 120); do
  [ "$(counter "$newest" 8082 'tollgate_policy_decisions_total[^#]*kind="authorize"')" -gt 0 ] && { first=$(($(date +%s) - $(date --date "$ready" +%s))); break; }
  sleep .5
done
verdict "a new policy pod decides, after it was ready" "$first s" "$([ "$first" != none ] && [ "$first" -le 60 ] && echo 0 || echo 1)"
sleep 10
policies=$(spread policy 8082 'tollgate_policy_decisions_total[^#]*kind="authorize"' 20)
edges=$(spread edge 8083 tollgate_edge_request_seconds_count 20)
judge "edge 2 to 4 and policy 2 to 3"
verdict "decisions of each policy pod in 20 s" "$policies" "$(even "$policies" && echo 0 || echo 1)"
# The Service gives each new connection to any edge, so a low rate is spread unevenly.
verdict "requests of each edge pod in 20 s" "$edges" "$(grep -qE '(^| )0( |$)' <<< "$edges" && echo 1 || echo 0)"

say "rollback"
phase rollback > /dev/null
helm rollback tollgate 1 --namespace "$NAMESPACE" --wait --timeout 8m > /dev/null
settled
judge "helm rollback to $TAG, and back to 2 edges and 2 policies"

say "memory and processor"
usage=$(for node in $(kubectl get nodes --output name); do kubectl get --raw "/api/v1/nodes/${node#node/}/proxy/stats/summary"; done | node -e '
  const found = {};
  const text = require("fs").readFileSync(0, "utf8");
  for (const { podRef, containers = [] } of JSON.parse(text).pods) {
    if (podRef.namespace !== process.env.NAMESPACE) continue;
    for (const { name, memory, cpu } of containers) (found[name] ??= []).push([memory.workingSetBytes / 2 ** 20, cpu.usageNanoCores / 1e6]);
  }
  for (const [name, rows] of Object.entries(found)) console.log(`${name} ${Math.max(...rows.map(([m]) => m)).toFixed(0)} MiB ${Math.max(...rows.map(([, c]) => c)).toFixed(0)}m`);' | paste -sd, -)
row "the most of a pod, under load" "$usage" ok
