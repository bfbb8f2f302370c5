# The steps of .ci/run and .ci/nightly, read by them (`source`): what is installed, what is counted, and what stands at the end.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What is proved at each change.
PROOFS='kill linearizable isolation simulation stall fairness transparency'
passed=0
failed=0
failures_told=()
# A line for each step that has ended.
times_told=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Seconds that a step may take on two cores; above it a warning stands at the end.
declare -A budgets=(
  ['npm ci']=40 [install_browser]=30 [install_postgres]=30 ['npm run types']=40 ['npm run lint']=40 ['npm run format:check']=5
  ['npm run test:all']=690 ["npm run prove -- --short $PROOFS"]=150 [install_pytest]=30 [install_nginx]=20
  ['npm run prove -- --short']=260 ['npm run test:postgres']=180 ['npm run check:bench']=60 ['npm run test:image']=90 [install_images]=60
  ['npm run prove:nodes -- 22 --tests']=55
)

# Records how long a step took, once it has ended: `took <started> <step>`.
took() {
  local seconds=$((SECONDS - $1)) budget=${budgets[${*:2}]:-}
  times_told+=("$(printf '%5d s  %s' "$seconds" "${*:2}")")
  if [[ -n $budget ]] && ((seconds > budget)); then
    times_told+=("WARNING ${*:2} took $seconds s, its budget is $budget s")
  fi
}

section() {
  printf '\n=== %s (after %d s)\n' "$*" "$SECONDS"
}

# A step that counts nothing has ended: its failure is one. `ended <started> <status> <step>`.
ended() {
  took "$1" "${@:3}"
  (($2 == 0)) && return
  failed=$((failed + 1))
  failures_told+=("FAILED ${*:3}")
}

run_checked() {
  section "$@"
  local started=$SECONDS status=0
  "$@" || status=$?
  ended "$started" "$status" "$@"
}

# A step whose output ends with a line as "12 passed, 0 failed, 1 skipped".
run_counted() {
  section "$@"
  local started=$SECONDS status=0 failures=0
  "$@" 2>&1 | tee "$log" || status=$?
  if [[ $(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1) =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failures=${BASH_REMATCH[2]}
  else
    status=1
  fi
  took "$started" "$@"
  # What ends badly, or tells no count, has failed, though it may have counted nothing.
  ((status == 0 || failures > 0)) || failures=1
  failed=$((failed + failures))
  ((failures == 0)) && return
  failures_told+=("=== $*")
  mapfile -t -O "${#failures_told[@]}" failures_told < <(grep -E '^FAILED |: FAILED: ' "$log")
}

# Each of the two takes one core. What lint prints stands behind what types print.
check_types_and_lint() {
  local started=$SECONDS status=0 lint
  npm run lint >"$log" 2>&1 &
  lint=$!
  run_checked npm run types
  section npm run lint
  wait "$lint" || status=$?
  cat "$log"
  ended "$started" "$status" npm run lint
}

# Debian's headless shell where root can install it: tests take a third less time in it than in a whole browser.
install_browser() {
  [[ -n ${CHROMIUM:-} ]] && return
  command -v chromium-headless-shell >&2 && return
  ((EUID == 0)) && apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell && return
  command -v chromium chromium-browser google-chrome google-chrome-stable >&2 && return
  ((EUID == 0)) || return 0
  apt-get install -y --no-install-recommends chromium
}

# The servers that the tests of PostgreSQL start themselves, and the balancer before them.
install_postgres() {
  compgen -G '/usr/lib/postgresql/*/bin/pg_basebackup' >&2 && command -v haproxy >&2 && return
  ((EUID == 0)) || return 0
  apt-get update && apt-get install -y --no-install-recommends postgresql haproxy
}

# What builds and runs the image without a daemon, and deploy/compose.yaml.
install_images() {
  command -v buildah >&2 && command -v podman-compose >&2 && command -v iptables >&2 && command -v busybox >&2 && return
  ((EUID == 0)) || return 0
  apt-get update && apt-get install -y --no-install-recommends buildah podman podman-compose netavark iptables runc busybox-static
}

# A second reader of what the gateway sends on: `npm run prove -- transparency` says so where it is missing. mitmproxy would be a third; it needs
# half of a Python installation, and is used where it is there.
install_nginx() {
  PATH=$PATH:/usr/sbin command -v nginx >&2 && return
  ((EUID == 0)) || return 0
  apt-get update && apt-get install -y --no-install-recommends nginx-light
}

# What examples/pytest is run by, the recipe of docs/baggage.md for FastAPI, and a client of WebSockets.
install_pytest() {
  local packages='import pytest, fastapi, httpx, uvicorn, websockets'
  python3 -c "$packages" >&2 || /usr/bin/python3 -c "$packages" >&2 && return
  ((EUID == 0)) || return 0
  apt-get update && apt-get install -y --no-install-recommends python3-pytest python3-fastapi python3-httpx python3-uvicorn python3-websockets
}

# What every run begins with. Without a browser, PostgreSQL, pytest or what builds images the tests that need one fail, rather than being skipped.
install_all() {
  section npm ci
  npm ci || exit
  took 0 npm ci
  local step
  for step in "$@"; do run_checked "$step"; done
  export SWITCHYARD_BROWSER=required SWITCHYARD_POSTGRES=required SWITCHYARD_IMAGE=required SWITCHYARD_PYTEST=required
}

# The last lines; what is counted stands last. Exit status 1 when anything failed.
end_all() {
  section all
  printf '%s\n' "${times_told[@]}"
  ((failed == 0)) || printf '%s\n' "${failures_told[@]}"
  echo "$passed passed, $failed failed"
  ((failed == 0))
}
