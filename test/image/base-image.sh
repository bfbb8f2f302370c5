#!/usr/bin/env bash
# A base image for the tests, from what this machine has: Node.js, npm, a shell and the certificates of this system. It stands for the
# one that the Dockerfile names, which comes from a registry of images.
#
#   base-image.sh <name> [options of buildah]
set -euo pipefail
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
node=$(readlink -f "$(command -v node)")
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$root"/{bin,usr/bin,usr/lib/node_modules,etc/ssl/certs,tmp,proc,sys,dev,home/node,run}
chmod 1777 "$root/tmp"
cp "$node" "$root/usr/bin/node"
cp -r "$npm" "$root/usr/lib/node_modules/npm"
printf '#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n' >"$root/usr/bin/npm"
chmod 755 "$root/usr/bin/npm"
# The libraries of Node.js, and those that binaries of packages want.
{ ldd "$node" | grep -oE '/[^ ]+'; ldconfig -p | grep -oE '/\S*x86-64\S*/lib(resolv|nss_dns|nss_files|z|gcc_s|stdc\+\+)\.so\.[0-9]+' || true; } |
  sort -u | while read -r library; do install -D "$(readlink -f "$library")" "$root$library"; done
for library in libresolv.so.2 libnss_dns.so.2 libnss_files.so.2; do
  found=$(find /lib /usr/lib -name "$library" -print -quit 2>/dev/null)
  [[ -n $found ]] && install -D "$(readlink -f "$found")" "$root$found"
done
busybox=$(command -v busybox)
cp "$busybox" "$root/bin/busybox"
for tool in sh sed mkdir chmod cat ls id echo env sleep; do ln -s busybox "$root/bin/$tool"; done
printf 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\n' >"$root/etc/group"
certificates=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}
[[ -f $certificates ]] && cp "$certificates" "$root/etc/ssl/certs/ca-certificates.crt"
name=$1
shift
container=$(buildah "$@" from scratch)
buildah "$@" add -q "$container" "$root" / >/dev/null
buildah "$@" config --env PATH=/usr/bin:/bin --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah "$@" commit -q --rm "$container" "$name" >/dev/null
