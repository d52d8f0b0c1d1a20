#!/bin/sh
# Node of the package ringway-node where it is installed, the distribution's otherwise.
node=/usr/lib/ringway-node/bin/node
[ -x "$node" ] || node=/usr/bin/node
exec "$node" /usr/lib/ringway/dist/supervisor/main.js "$@"
