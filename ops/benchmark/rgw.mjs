/**
 * Measures Ceph's S3 gateway, radosgw of Debian 12, with the project's own harness: one monitor, one
 * manager and one OSD (BlueStore in a file) in a root that is thrown away. See docs/benchmarks.md.
 *
 *     node ops/benchmark/rgw.mjs                                   GET and PUT of 1 KiB, lists
 *     node ops/benchmark/rgw.mjs --dir DIR -- --rows get-8m:4      the root is kept; flags of the harness
 *
 * It needs root, mmdebstrap, a mirror of Debian, and what `npm run build` makes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { messageOf } from '../dev/lib/errors.mjs';
import { ROOT } from '../dev/lib/paths.mjs';
import { SUITES, makeRoot, spawnWithin } from '../dev/lib/roots.mjs';

const PACKAGES = ['ca-certificates', 'ceph-common', 'ceph-mon', 'ceph-mgr', 'ceph-osd', 'radosgw'];
const PORT = 17_480;
const KEYS = ['--access-key', 'BENCHKEY', '--secret-key', 'BENCHSECRET'];
const ROWS = ['--rows', 'get-1k:16,put-1k:64,list-1000:16', '--list-keys', '2000'];
/** Those that serve a request: their CPU counts, that of the monitor and the manager does not. */
const SERVERS = '^(radosgw -n client.rgw|ceph-osd -i 0)$';
/** The line that says that all of it runs. */
const READY = 'rgw: ready';

/** Ceph by hand, without replicas and without passwords inside. */
const CLUSTER = `
set -eu
D=/srv/rgw; rm -rf $D; mkdir -p $D/mon $D/mgr $D/osd; cd $D
FSID=$(cat /proc/sys/kernel/random/uuid); OSD=$(cat /proc/sys/kernel/random/uuid)
cat >/etc/ceph/ceph.conf <<END
[global]
fsid = $FSID
mon host = v1:127.0.0.1:16789
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = bluestore
bluestore block size = 10737418240
mon data = $D/mon
mgr data = $D/mgr
osd data = $D/osd
keyring = $D/keyring
run dir = $D
admin socket = $D/\\$name.asok
log file = $D/\\$name.log
mon cluster log file = $D/cluster.log
rgw frontends = beast endpoint=127.0.0.1:${PORT} tcp_nodelay=1
[mon.a]
mon addr = v1:127.0.0.1:16789
END
ceph-authtool --create-keyring keyring --gen-key -n mon. --cap mon 'allow *'
ceph-authtool keyring --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
monmaptool --create --addv a '[v1:127.0.0.1:16789]' --fsid $FSID monmap
ceph-mon --mkfs -i a --monmap monmap --keyring keyring
ceph-mon -i a
ceph-mgr -i x
ceph osd new $OSD
ceph-osd -i 0 --mkfs --osd-uuid $OSD
# A monitor whose map has not come yet makes it end with 'wrong fsid'.
for try in 1 2 3 4 5; do if ceph-osd -i 0; then break; fi; done
radosgw -n client.rgw
radosgw-admin user create --uid bench --display-name bench --access-key BENCHKEY --secret-key BENCHSECRET >user
until exec 3<>/dev/tcp/127.0.0.1/${PORT}; do read -r -t 0.2 <> <(:) || true; done 2>/dev/null
radosgw --version
echo '${READY}'
exec sleep infinity
`;

process.exitCode = await main().catch((/** @type {unknown} */ error) => {
  console.error(`rgw: ${messageOf(error)}`);
  return 1;
});

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dir: { type: 'string' } },
  });
  const root = path.resolve(values.dir ?? mkdtempSync(`${tmpdir()}/ringway-rgw-`));
  try {
    if (!existsSync(`${root}/usr/bin/radosgw`)) makeRoot(SUITES.debian12 ?? '', root, PACKAGES);
    const cluster = spawnWithin(root, ['bash', '-c', CLUSTER], { output: 'pipe' });
    const ended = once(cluster, 'close');
    try {
      await untilReady(cluster);
      return await measure(positionals);
    } finally {
      cluster.kill('SIGKILL');
      await ended;
    }
  } finally {
    if (values.dir === undefined) rmSync(root, { recursive: true, force: true });
  }
}

/** @param {import('node:child_process').ChildProcess} cluster */
async function untilReady({ stdout }) {
  if (stdout === null) throw new Error('it has no output');
  for await (const line of createInterface({ input: stdout })) {
    console.log(line);
    if (line === READY) return;
  }
  throw new Error('the cluster has ended');
}

/** @param {readonly string[]} flags of the harness */
async function measure(flags) {
  const { stdout } = spawnSync('pgrep', ['-d,', '-f', SERVERS], { encoding: 'utf8' });
  const target = ['--target', `http://127.0.0.1:${PORT}`, ...KEYS, '--pid', stdout.trim()];
  const args = [`${ROOT}/dist/bench/main.js`, ...target, ...(flags.length > 0 ? flags : ROWS)];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close');
  return code ?? 1;
}
