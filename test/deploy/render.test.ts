import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { checkPrograms } from '../../src/deploy/render/check-programs.js';
import { renderNode } from '../../src/deploy/render/cluster.js';
import { unifiedDiff } from '../../src/deploy/render/diff.js';
import { secretsOf, withSecrets, type NodeFile } from '../../src/deploy/render/files.js';
import type { Spec } from '../../src/deploy/spec/schema.js';
import { parseSwiftConf } from '../../src/ring/swift-conf.js';
import { describeWith, program, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { exampleJson, exampleSpec, NOTHING, plan, specOf } from './support.js';

const spec = exampleSpec();
const ROOT = '/srv/cluster/node1';
const FILTER = fileURLToPath(new URL('../../../ops/swift/', import.meta.url));

/** Loads each file with its filters and apps, and prints how many filters it has. */
const LOAD = `
import sys
from paste.deploy import loadwsgi
for conf in sys.argv[1:]:
    context = loadwsgi.loadcontext(loadwsgi.APP, 'config:' + conf)
    for part in context.filter_contexts + [context.app_context]:
        assert callable(part.object)
    print(len(context.filter_contexts))
`;

function filesOf(of: Spec, name: string, root = ROOT): ReadonlyMap<string, NodeFile> {
  const node = of.nodes.find((each) => each.name === name)!;
  return new Map(renderNode(of, node, [], root).map((file) => [file.path, file]));
}

function textOf(files: ReadonlyMap<string, NodeFile>, path: string): string {
  return files.get(path)!.content.toString('utf8');
}

const keystone = specOf({
  ...exampleJson(),
  proxy: {
    auth: {
      type: 'keystone',
      auth_url: 'http://10.0.0.9:5000/v3',
      www_authenticate_uri: 'http://10.0.0.9:5000',
      project: 'service',
      username: 'swift',
      password_ref: 'keystone-password',
    },
  },
});

describe('deploy: files of nodes', () => {
  it('has what the roles of a node need, and nothing else', () => {
    expect([...filesOf(spec, 'node1').keys()]).to.deep.equal([
      'etc/cron.d/swift-recon',
      'etc/logrotate.d/swift-deploy',
      'etc/memcached.conf',
      'etc/ringway/filter.secret',
      'etc/ringway/ringway.json',
      'etc/ringway/swift.key',
      'etc/rsyncd.conf',
      'etc/swift/account-server.conf',
      'etc/swift/container-server.conf',
      'etc/swift/internal-client.conf',
      'etc/swift/object-expirer.conf',
      'etc/swift/object-server.conf',
      'etc/swift/proxy-server.conf',
      'etc/swift/ringway.secret',
      'etc/swift/swift.conf',
    ]);
    expect([...filesOf(spec, 'node3').keys()]).to.deep.equal([
      'etc/cron.d/swift-recon',
      'etc/logrotate.d/swift-deploy',
      'etc/rsyncd.conf',
      'etc/swift/account-server.conf',
      'etc/swift/container-server.conf',
      'etc/swift/internal-client.conf',
      'etc/swift/object-server.conf',
      'etc/swift/swift.conf',
    ]);
  });

  it('has marks in the place of secrets, in files that others cannot read', () => {
    const files = [...filesOf(spec, 'node1').values()];
    const refs = Object.fromEntries(
      files.map((file) => [file.path, secretsOf(file)]).filter(([, found]) => found!.length > 0),
    ) as unknown;
    expect(refs).to.deep.equal({
      'etc/ringway/filter.secret': ['filter-secret'],
      'etc/ringway/swift.key': ['gateway-key'],
      'etc/swift/proxy-server.conf': ['gateway-key', 'admin-key'],
      'etc/swift/ringway.secret': ['filter-secret'],
      'etc/swift/swift.conf': ['hash-prefix', 'hash-suffix'],
    });
    for (const file of files) {
      if (secretsOf(file).length > 0) expect(file.mode & 0o007, file.path).to.equal(0);
    }
  });

  it('escapes a secret where Python reads it, and nowhere else', () => {
    const files = filesOf(spec, 'node1');
    const fill = (path: string) => withSecrets(files.get(path)!, () => 'a%b$&').toString('utf8');
    const bytes = Buffer.from(fill('etc/swift/swift.conf'));
    const conf = parseSwiftConf(bytes, 'swift.conf');
    expect(conf.salt.prefix.toString()).to.equal('a%b$&');
    expect([...conf.policies.values()].map(({ name, ringName }) => [name, ringName])).to.deep.equal(
      [
        ['gold', 'object'],
        ['ec21', 'object-1'],
      ],
    );
    expect(fill('etc/swift/proxy-server.conf')).to.contain('user_main_admin = a%%b$& .admin\n');
    expect(fill('etc/ringway/swift.key')).to.equal('a%b$&\n');
  });

  it('puts options where servers read them', () => {
    const other = specOf({
      ...exampleJson(),
      tuning: { 'object-server': { workers: 3, slow: 2 }, 'object-auditor': { concurrency: 4 } },
    });
    const text = textOf(filesOf(other, 'node1'), 'etc/swift/object-server.conf');
    expect(text.slice(0, text.indexOf('[pipeline:main]'))).to.contain('workers = 3\n');
    expect(text).to.contain('[app:object-server]\nuse = egg:swift#object\nslow = 2\n');
    expect(text).to.contain('[object-auditor]\nconcurrency = 4\n');
    expect(text).to.contain(`devices = ${ROOT}/srv/node\n`);
  });

  it('gives the gateway the proxy of its host first', () => {
    const text = textOf(filesOf(spec, 'node2'), 'etc/ringway/ringway.json');
    expect(JSON.parse(text)).to.deep.include({
      swift_endpoints: ['http://127.0.1.2:8080', 'http://127.0.1.1:8080'],
      swift_auth_url: 'http://127.0.1.2:8080/auth/v1.0',
      swift_user: 'gateway:gw',
      credentials_source: 'tempauth',
    });
  });

  it('shares expired objects among expirers', () => {
    const two = specOf({
      ...exampleJson(),
      nodes: spec.nodes.map((node, at) => ({
        ...node,
        roles: at < 2 ? [...new Set([...node.roles, 'expirer'])] : node.roles,
      })),
    });
    const text = textOf(filesOf(two, 'node2'), 'etc/swift/object-expirer.conf');
    expect(text).to.contain('processes = 2\nprocess = 1\n');
  });
});

describeWith(
  [program('swift-ring-builder'), program('swift-config'), pythonModule('swift')],
  'deploy: files that Swift reads',
  function () {
    // A dozen starts of Swift's programs, each of which takes seconds on a busy machine.
    this.timeout(300_000);
    const folder = useTempFolderOnce('deploy-files');

    for (const [title, of] of Object.entries({ tempauth: spec, keystone })) {
      it(`is loaded by paste as servers load it, with ${title}`, async function () {
        if (of === keystone && !(await hasKeystoneMiddleware())) {
          this.skip(); // keystonemiddleware comes with Debian's swift-proxy, and not with pip's Swift
        }
        const root = join(folder(), title);
        for (const [path, file] of filesOf(of, 'node1', root)) {
          await mkdir(dirname(join(root, path)), { recursive: true });
          await writeFile(
            join(root, path),
            withSecrets(file, () => 'secret-of-at-least-16-bytes'),
          );
        }
        const servers = ['account-server', 'container-server', 'object-server', 'proxy-server'];
        const confs = servers.map((name) => join(root, 'etc/swift', `${name}.conf`));
        const more = ['internal-client', 'object-expirer'];
        confs.push(...more.map((name) => join(root, 'etc/swift', `${name}.conf`)));
        const { stdout } = await mustRun('python3', ['-c', LOAD, ...confs], {
          env: { PYTHONPATH: FILTER },
        });
        const counts = stdout.trim().split('\n').map(Number);
        const names = textOf(filesOf(of, 'node1', root), 'etc/swift/proxy-server.conf');
        const [, pipeline = ''] = /^pipeline = (.*)$/m.exec(names) ?? [];
        expect(counts).to.have.length(confs.length);
        expect(counts[3]).to.equal(pipeline.split(' ').length - 1);
        expect(pipeline).to.match(/^catch_errors gatekeeper ringway healthcheck /);
      });
    }

    it('is what swift-ring-builder and swift-config accept', async () => {
      const { rings } = plan(spec, NOTHING);
      const configs = [...filesOf(spec, 'node1')]
        .filter(([path]) => path.startsWith('etc/swift/') && path.endsWith('.conf'))
        .map(([name, { content }]) => ({ name, content }));
      const checks = await checkPrograms(
        { rings: rings.slice(2), configs: configs.slice(0, 2) },
        folder(),
      );
      expect(checks.map(({ program: name, target, state }) => [name, target, state])).to.deep.equal(
        [
          ['swift-ring-builder', 'object.ring.gz', 'ok'],
          ['swift-ring-builder', 'object-1.ring.gz', 'ok'],
          ['swift-config', 'etc/swift/account-server.conf', 'ok'],
          ['swift-config', 'etc/swift/container-server.conf', 'ok'],
        ],
      );
    });

    it('leaves out what takes too long', async () => {
      const config = { name: 'a.conf', content: Buffer.from('[a]\n') };
      const [check] = await checkPrograms({ rings: [], configs: [config] }, folder(), 1);
      expect(check).to.include({ state: 'skipped', message: 'it took more than 1 ms' });
    });

    it('tells what they refuse', async () => {
      const file = Buffer.from('no ring');
      const config = { name: 'a.conf', content: Buffer.from('no section = 1\n') };
      const checks = await checkPrograms(
        { rings: [{ name: 'object', file }], configs: [config] },
        folder(),
      );
      expect(checks.map(({ state }) => state)).to.deep.equal(['failed', 'failed']);
      for (const { message } of checks) expect(message).not.to.equal('');
    });
  },
);

async function hasKeystoneMiddleware(): Promise<boolean> {
  try {
    await mustRun('python3', ['-c', 'import keystonemiddleware']);
    return true;
  } catch {
    return false;
  }
}

describe('deploy: diff', () => {
  it('shows changes with three lines around them', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
    expect(unifiedDiff('x', before, before.replace('d', 'D'))).to.equal(
      '--- a/x\n+++ b/x\n@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n',
    );
    expect(unifiedDiff('x', undefined, 'a\n')).to.equal(
      '--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n',
    );
    expect(unifiedDiff('x', 'a\n', undefined)).to.equal(
      '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
    );
    expect(unifiedDiff('x', before, before)).to.equal('');
  });

  it('leads from one text to the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
    const text = lines.map((all) => all.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patched(before, unifiedDiff('x', before, after))).to.equal(after);
      }),
    );
  });
});

/** The text that `patch` would make of it. */
function patched(before: string, diff: string): string {
  if (diff === '') return before;
  const old = before.split('\n').slice(0, -1);
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const [, start, count = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (start !== undefined) {
      const first = Number(start) - (count === '0' ? 0 : 1);
      while (at < first) result.push(old[at++]!);
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      expect(old[at]).to.equal(line.slice(1));
      if (line.startsWith(' ')) result.push(old[at]!);
      at++;
    }
  }
  result.push(...old.slice(at));
  return result.map((line) => `${line}\n`).join('');
}
