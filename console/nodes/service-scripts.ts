/**
 * The scripts of drivers for services on a host: fixed texts for a POSIX shell, to which names come
 * as arguments. The users of the proxies and the drills of the Lab share them.
 */

/** The status of a script whose service does not run. */
export const NO_SERVICE = 48;
/** The status of a script that finds no such service on the host. */
export const NO_UNIT = 60;
/** The status of `kill_child` where the service has no children. */
export const NO_CHILDREN = 61;

/** Units of Debian, of RDO, and of clusters that name them by the program; sets `unit`. */
const FIND_UNIT = `find_unit() {
  unit=
  for one in "swift-$1" "swift-\${1%-server}" "openstack-swift-$1" "openstack-swift-\${1%-server}"; do
    if [ "$(systemctl show --property=LoadState --value -- "$one.service")" = loaded ]; then
      unit=$one.service
      return
    fi
  done
}
`;

const ONE_UNIT = `set -eu
${FIND_UNIT}find_unit "$1"
[ -n "$unit" ] || exit ${NO_UNIT}
`;

/** Arguments: services. Writes a line for each: its name, \`ActiveState\` or \`absent\`, \`MainPID\`. */
const UNIT_STATUS = `set -eu
${FIND_UNIT}for service in "$@"; do
  find_unit "$service"
  if [ -z "$unit" ]; then
    echo "$service absent 0"
  else
    state=$(systemctl show --property=ActiveState --value -- "$unit")
    echo "$service $state $(systemctl show --property=MainPID --value -- "$unit")"
  fi
done
`;

/** Argument of each: a service. A stop is none that \`Restart=\` undoes. */
export const UNIT_SCRIPTS = {
  status: UNIT_STATUS,
  start: `${ONE_UNIT}exec systemctl start -- "$unit"\n`,
  stop: `${ONE_UNIT}exec systemctl stop -- "$unit"\n`,
  pause: `${ONE_UNIT}exec systemctl kill --signal=SIGSTOP -- "$unit"\n`,
  resume: `${ONE_UNIT}exec systemctl kill --signal=SIGCONT -- "$unit"\n`,
  kill_child: `${ONE_UNIT}main=$(systemctl show --property=MainPID --value -- "$unit")
[ "$main" -gt 0 ] || exit ${NO_SERVICE}
child=$(pgrep -o -P "$main") || exit ${NO_CHILDREN}
exec kill -KILL "$child"
`,
} as const;

/** Argument: a server of Swift, as \`swift-init\` knows it. */
export const SWIFT_INIT_SCRIPTS = {
  status: `set -eu
for service in "$@"; do
  if swift-init "$service" status >/dev/null 2>&1; then
    echo "$service active 0"
  else
    echo "$service inactive 0"
  fi
done
`,
  start: 'exec swift-init "$1" start >/dev/null\n',
  // It answers 1 where nothing runs, which is what was asked for.
  stop: `set -eu
swift-init "$1" stop -k 15 >/dev/null 2>&1 || true
if swift-init "$1" status >/dev/null 2>&1; then exit 1; fi
`,
} as const;

/** Arguments: service. A unit that cannot reload is restarted. */
const RELOAD_UNIT = `set -eu
if [ "$(systemctl show --property=CanReload --value -- "$1")" = yes ]; then
  systemctl reload -- "$1"
else
  systemctl restart -- "$1"
fi
`;

/** Arguments: service, such as \`proxy\`. */
const RELOAD_SWIFT_INIT = `exec swift-init "$1" reload
`;

/** Arguments: file with the number of the parent process, to which SIGUSR1 says: begin anew. */
const RELOAD_PID = `set -eu
pid=$(cat -- "$1")
case $pid in ''|*[!0-9]*) exit ${NO_SERVICE};; esac
kill -USR1 "$pid" || exit ${NO_SERVICE}
`;

/** The drivers that can change something. */
export type DriverName = 'local-procs' | 'local-systemd' | 'swift-init' | 'ssh';

/**
 * The script, with its arguments, by which a service reads its configuration again.
 * @param pidFile of the service, which `local-procs` needs
 */
export function reloadCommand(
  driver: DriverName,
  service: string,
  pidFile: () => string,
): readonly [script: string, args: readonly string[]] {
  if (driver === 'swift-init') return [RELOAD_SWIFT_INIT, [service]];
  if (driver === 'local-procs') return [RELOAD_PID, [pidFile()]];
  return [RELOAD_UNIT, [service]];
}
