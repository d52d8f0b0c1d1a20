/** The filter's package on a host with Debian's own proxy of Swift, which serves with it and without. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import process from 'node:process';
import { spawnWithin } from '../../dev/lib/roots.mjs';
import { APT, command, ends, packageOf, putDeb, step, withRoot } from './aids.mjs';
import { untilItListens } from './client.mjs';

const PORT = 18_080;
const CONF = '/etc/swift/proxy-server.conf';
const AS_SWIFT = ['setpriv', '--reuid=swift', '--regid=swift', '--clear-groups'];
const NAME = 'ringway-swift-filter';

/** @param {string} suite @param {string} packages a folder */
export function tryFilter(suite, packages) {
  return withRoot(suite, ['swift-proxy'], async (root) => {
    await configure(root);
    const conf = root + CONF;
    const before = readFileSync(conf);
    const { mode, uid, gid } = statSync(conf);
    const isAsBefore = () => readFileSync(conf).equals(before);
    if ('ringway' in (await proxyInfo(root)))
      throw new Error('the filter is there before it was installed');

    step('apt-get install');
    await command(root, [...APT, 'install', putDeb(root, packageOf(packages, `${NAME}_`))]);
    if (!isAsBefore()) throw new Error('the installation changed the pipeline');
    await ends(root, ['ringway-filter', 'status'], 3);

    step('enable --dry-run, and enable');
    const enable = ['ringway-filter', 'enable', '--single-proxy-host'];
    await command(root, [...enable, '--dry-run']);
    if (!isAsBefore()) throw new Error('the dry run changed the pipeline');
    // Debian's memcached listens on loopback, and there is no secret yet.
    await ends(root, [...enable.slice(0, 2), '--new-secret'], 1);
    await ends(root, enable, 1);
    if (!isAsBefore()) throw new Error('a refused change was made');
    await command(root, [...enable, '--new-secret']);
    await command(root, ['ringway-filter', 'status']);
    const now = statSync(conf);
    if (now.mode !== mode || now.uid !== uid || now.gid !== gid)
      throw new Error('the mode changed');
    const info = await proxyInfo(root);
    console.log(`try: /info has ${JSON.stringify(info.ringway)}`);
    if (info.ringway === undefined) throw new Error('the proxy serves without the filter');

    step('no removal while the pipeline names it');
    await ends(root, [...APT, 'remove', NAME], 100);
    await command(root, ['ringway-filter', 'status']);

    step('disable, and purge');
    await command(root, ['ringway-filter', 'disable']);
    if (!isAsBefore()) throw new Error('other bytes than before');
    await ends(root, ['ringway-filter', 'status'], 3);
    if ('ringway' in (await proxyInfo(root))) throw new Error('the proxy still has the filter');
    await command(root, [...APT, 'purge', NAME]);
    if (!isAsBefore()) throw new Error('the purge changed the pipeline');
    if (existsSync(`${root}/usr/lib/python3/dist-packages/ringway_filter`)) {
      throw new Error('files of the package are left');
    }
  });
}

/** One device in each ring: the proxy reads them when it starts. @param {string} root */
async function configure(root) {
  const conf = readFileSync(root + CONF, 'utf8');
  writeFileSync(
    root + CONF,
    conf
      .replace(/^bind_port = .*$/m, `bind_ip = 127.0.0.1\nbind_port = ${PORT}`)
      .replace(/^workers = .*$/m, 'workers = 0'),
  );
  writeFileSync(
    `${root}/etc/swift/swift.conf`,
    '[swift-hash]\nswift_hash_path_suffix = tried\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  for (const [ring, port] of Object.entries({ account: 6202, container: 6201, object: 6200 })) {
    const builder = ['swift-ring-builder', `/etc/swift/${ring}.builder`];
    await command(root, [...builder, 'create', '4', '1', '1']);
    await command(root, [...builder, 'add', `r1z1-127.0.0.1:${port}/none`, '1']);
    await command(root, [...builder, 'rebalance']);
  }
}

/** Starts the proxy for one answer. @param {string} root @returns {Promise<Record<string, unknown>>} */
async function proxyInfo(root) {
  // Below a process of root's: the first one's end has to end them all, which `setpriv` would forget.
  const run = ['sh', '-c', '"$@" & wait', 'sh', ...AS_SWIFT, 'swift-proxy-server', CONF];
  const proxy = spawnWithin(root, run, { output: 'pipe' });
  proxy.stdout?.pipe(process.stdout, { end: false });
  const ended = once(proxy, 'close');
  const origin = `http://127.0.0.1:${PORT}`;
  try {
    const health = await Promise.race([
      untilItListens(() => fetch(`${origin}/healthcheck`)),
      ended.then(() => {
        throw new Error('the proxy has ended');
      }),
    ]);
    if (!health.ok) throw new Error(`/healthcheck got ${health.status}`);
    return await (await fetch(`${origin}/info`)).json();
  } finally {
    proxy.kill('SIGKILL');
    await ended;
  }
}
