/**
 * Commands of the documentation that `test/clients/documented.test.ts` does not run and that are not
 * the project's own: what tries them instead, or why nothing does.
 */
export interface Elsewhere {
  readonly page: string;
  /** Such commands, or how they begin: what ends with a blank. */
  readonly begin: readonly string[];
  /** A file that does the same, with a text of it that shows so. */
  readonly tried?: readonly [file: string, text: string];
  /** Without such a file: why. */
  readonly why?: string;
}

const DEBIAN_OF_ITS_OWN = 'ops/package/trials/debian.mjs';
const NO_SYSTEMD = 'the clean Debian in which the packages are tried has no systemd';
const NO_GITHUB = 'it reaches GitHub, and the page says that it was not run';

export const ELSEWHERE: readonly Elsewhere[] = [
  {
    page: 'README.md',
    begin: ['npm start'],
    tried: ['test/integration/npm-start.test.ts', "spawn('npm', ['start'"],
  },
  {
    page: 'docs/console.md',
    begin: ['cat console.json', 'node dist/console/main.js console.json'],
    tried: ['test/console/main.test.ts', 'console/main.js'],
  },
  {
    page: 'docs/dependencies.md',
    begin: [
      'git clone ',
      'cd uWebSockets.js',
      'for tag in ',
      'echo "$tag ',
      'done',
      'git ls-remote ',
    ],
    why: NO_GITHUB,
  },
  {
    page: 'docs/dependencies.md',
    begin: [
      'npm install --save-exact ',
      'git checkout ',
      'git submodule ',
      'make',
      'cp dist/uws_linux_x64_115.node ',
    ],
    why: NO_GITHUB,
  },
  {
    page: 'docs/dependencies.md',
    begin: ['cd <ringway> '],
    why: NO_GITHUB,
  },
  {
    page: 'docs/deploy.md',
    begin: ['ssh-keygen ', 'ssh-keyscan '],
    tried: ['test/support/sshd.ts', 'ssh-keygen'],
  },
  {
    page: 'docs/deploy.md',
    begin: ['api -X POST -H "Idempotency-Key: $(date +%s)" --data \'{}\' $base/ramps'],
    tried: ['test/deploy/ramps.test.ts', '/ramps'],
  },
  {
    page: 'docs/deploy.md',
    begin: ['api -X POST --data \'{"rings": '],
    tried: ['test/deploy/state.test.ts', 'rings/import'],
  },
  {
    page: 'docs/install.md',
    begin: ['cat /var/lib/ringway/credentials.json'],
    tried: [DEBIAN_OF_ITS_OWN, '/var/lib/ringway/credentials.json'],
  },
  {
    page: 'docs/install.md',
    begin: ['journalctl -u ringway', 'systemctl reload swift-proxy'],
    why: NO_SYSTEMD,
  },
  {
    page: 'docs/install.md',
    begin: ['apt install ./ringway-swift-filter_*_all.deb'],
    why: 'that package is built by test/clients/packages.test.ts, and installed nowhere',
  },
  {
    page: 'docs/install.md',
    begin: ['ringway-filter enable --dry-run', 'ringway-filter enable --new-secret'],
    tried: ['ops/swift/tests/test_command.py', "run_command('enable', '--dry-run')"],
  },
  {
    page: 'docs/install.md',
    begin: ['npm install --global ./ringway-<version>.tgz'],
    why: 'it installs from the registry; test/clients/packages.test.ts builds the file',
  },
  {
    page: 'docs/install.md',
    begin: ['docker build ', 'docker run '],
    tried: [DEBIAN_OF_ITS_OWN, 'ops/docker/Dockerfile'],
  },
  {
    page: 'docs/migrating-from-s3api.md',
    begin: ["swift post -H 'X-Versions-Enabled: false' "],
    tried: ['test/swift/store-versioning.test.ts', "'x-versions-enabled': 'false'"],
  },
  {
    page: 'docs/migrating-from-s3api.md',
    begin: ['export OLD=http://s3api:8080 ', 'python3 ops/s3api/copy_versions.py old new'],
    tried: ['test/swift/copy-versions.test.ts', 'ops/s3api/copy_versions.py'],
  },
  {
    page: 'docs/swift-lab.md',
    begin: ['apt-get install --no-install-recommends swift-proxy '],
    tried: ['.ci/run', 'swift-object-expirer'],
  },
  {
    page: 'docs/swift-lab.md',
    begin: ['apt-get -o Dir::Etc::sourcelist=/tmp/sid.list ', 'for name in ', 'done'],
    why: "it takes packages of Debian's unstable, which change from day to day",
  },
  {
    page: 'docs/swift.md',
    begin: ['cp -r ops/swift/ringway_filter ', 'python3 -m compileall '],
    tried: ['ops/package/filter.mjs', 'ringway_filter'],
  },
  {
    page: 'docs/swift.md',
    begin: [
      'install -m 0640 -o root -g swift ',
      'openssl rand -hex 32 > /etc/swift/ringway.secret',
    ],
    tried: ['ops/swift/tests/test_command.py', '--new-secret'],
  },
  {
    page: 'docs/swift.md',
    begin: ['systemctl reload swift-proxy', 'curl -s http://proxy:8080/info '],
    why: 'they are for hosts of a cluster',
  },
  {
    page: 'docs/tls.md',
    begin: ['certbot renew '],
    why: 'it needs a name in DNS and the network',
  },
  {
    page: 'docs/troubleshooting.md',
    begin: ['journalctl -u ringway '],
    why: NO_SYSTEMD,
  },
];

/** @returns what stands for a command, where it is one of these */
export function elsewhereOf(page: string, command: string): Elsewhere | undefined {
  return ELSEWHERE.find(
    (entry) =>
      entry.page === page &&
      entry.begin.some((text) =>
        text.endsWith(' ') ? command.startsWith(text) : command === text,
      ),
  );
}
