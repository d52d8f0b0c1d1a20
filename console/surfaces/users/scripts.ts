import { NO_SERVICE } from '../../nodes/service-scripts.js';

/**
 * The scripts for a proxy's host. Fixed texts for a POSIX shell with coreutils and flock: names and
 * digests come as arguments, and text with keys comes by standard input, so that no list of
 * processes shows it.
 */

/** Statuses with which a script says what is wrong; others mean that it broke. */
export const SCRIPT_STATUS = {
  absent: 40,
  tooLarge: 41,
  locked: 42,
  ownerLost: 43,
  cut: 44,
  changed: 45,
  refused: 46,
  backupLost: 47,
  noService: NO_SERVICE,
} as const;

export const CONF_BYTES_MAX = 1024 * 1024;

/** A link stays a link: what it leads to is replaced. */
const FIND = `conf=$(readlink -f -- "$1") && [ -f "$conf" ] || exit ${SCRIPT_STATUS.absent}`;

const COMMON = `set -eu
umask 077
${FIND}
folder=$(dirname -- "$conf")
new=$conf.ringway-new
exec 9<"$folder"
flock -w 10 9 || exit ${SCRIPT_STATUS.locked}
digest() { sha256sum < "$1" | cut -c 1-64; }
fill() { dd bs=64k status=none oflag=nofollow of="$new"; }
trap 'rm -f -- "$new"' EXIT
# Owner, mode and labels of the file that is there. Others may write to the folder: no link in the
# place of a new file is followed.
prepare() {
  cp -a --remove-destination -- "$conf" "$new"
  [ "$(stat -c %u:%g:%a -- "$conf")" = "$(stat -c %u:%g:%a -- "$new")" ] || exit ${SCRIPT_STATUS.ownerLost}
}
install() {
  sync -- "$new"
  mv -f -- "$new" "$conf"
  sync -- "$folder"
}
`;

/** Arguments: path. Writes the file. */
export const READ = `set -eu
${FIND}
[ "$(wc -c < "$conf")" -le ${CONF_BYTES_MAX} ] || exit ${SCRIPT_STATUS.tooLarge}
exec cat -- "$conf"
`;

/**
 * Arguments: path, digest of the file that is there, digest of the new one, stamp, `1` to let the
 * proxy test it. The new file comes by standard input; a proxy that can tests it before it counts.
 * Ten backups are kept.
 */
export const REPLACE = `${COMMON}
backup=$conf.bak-$4
prepare
fill
[ "$(digest "$new")" = "$3" ] || exit ${SCRIPT_STATUS.cut}
[ "$(digest "$conf")" = "$2" ] || exit ${SCRIPT_STATUS.changed}
if [ "$5" = 1 ] && swift-proxy-server --help 2>/dev/null </dev/null | grep -q -e --test-config; then
  swift-proxy-server "$new" --test-config >/dev/null 2>&1 </dev/null || exit ${SCRIPT_STATUS.refused}
fi
cp -a --remove-destination -- "$conf" "$backup"
sync -- "$backup"
[ "$(digest "$conf")" = "$2" ] || exit ${SCRIPT_STATUS.changed}
install
ls -1d -- "$conf".bak-????????T??????Z-???????? 2>/dev/null | sort | head -n -10 |
  while read -r old; do rm -f -- "$old"; done
`;

/**
 * Arguments: path, digest of the file before, digest of the one that was put there, stamp. Brings
 * the backup back where the new file stands; prints \`same\` where it does not.
 */
export const RESTORE = `${COMMON}
backup=$conf.bak-$4
now=$(digest "$conf")
if [ "$now" = "$2" ]; then echo same; exit 0; fi
[ "$now" = "$3" ] || exit ${SCRIPT_STATUS.changed}
[ -f "$backup" ] && [ "$(digest "$backup")" = "$2" ] || exit ${SCRIPT_STATUS.backupLost}
prepare
fill < "$backup"
install
echo restored
`;
