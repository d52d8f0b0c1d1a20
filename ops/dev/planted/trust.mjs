/**
 * Bugs in the places in which the console, Deploy and the service trust no input: docs/security.md.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const TRUST = [
  {
    name: 'console/login: invented names take the place of a guessed one',
    file: 'console/server/login-limits.ts',
    find: `const all = this.matters(tries) ? this.#heavy : this.#light;`,
    replace: `const all = this.#light;`,
    tests: ['test/console/server/login-limits.test.ts'],
  },
  {
    name: 'console/session: a cookie that another program has set counts',
    file: 'console/server/session-cookie.ts',
    find: `if (count <= 1) return request.cookies[name];`,
    replace: `if (count >= 0) return request.cookies[name];`,
    tests: ['test/console/server/session.test.ts'],
  },
  {
    name: 'console/session: over https, other programs on the host can set the cookie',
    file: 'console/server/session-cookie.ts',
    find: `return isSecure(options, view) ? HTTPS_NAME : NAME;`,
    replace: `return isSecure(options, view) ? NAME : NAME;`,
    tests: ['test/console/server/session.test.ts'],
  },
  {
    name: 'console/traffic: sessions share the limit of their address',
    file: 'console/server/app.ts',
    find: `session?.id ?? view.address,`,
    replace: `view.address ?? session?.id,`,
    tests: ['test/console/server/attacks.test.ts'],
  },
  {
    name: 'console/traffic: an address may have all connections',
    file: 'console/server/app.ts',
    find: `const CONNECTIONS_PER_CLIENT_MAX = 256;`,
    replace: `const CONNECTIONS_PER_CLIENT_MAX = 1024;`,
    tests: ['test/console/server/attacks.test.ts'],
  },
  {
    name: 'connections: half a request keeps its place',
    file: 'src/lib/connection-limits.ts',
    find: `const [longest = newest] = this.#waiting;`,
    replace: `const longest = newest;`,
    tests: ['test/lib/connection-limits.test.ts'],
  },
  {
    name: 'connections: a request under way makes room',
    file: 'src/lib/connection-limits.ts',
    find: `setWaiting(counted, false);`,
    replace: `setWaiting(counted, true);`,
    tests: ['test/lib/connection-limits.test.ts'],
  },
  {
    name: 'deploy/service: what others on its host guess locks the console out',
    file: 'src/deploy/service/app.ts',
    find: `    try {
      authenticate(request`,
    replace: `    try {
      if (!failures.take(request.ip)) throw new DeployError('rate_limited', 'Too many.');
      authenticate(request`,
    tests: ['test/deploy/service.test.ts'],
  },
  {
    name: 'console/audit: a line behind the last one is none to verify',
    file: 'src/lib/chained-log/verify-chain.ts',
    find: `if (this.problem === undefined && isLonger) {`,
    replace: `if (this.problem !== undefined && isLonger) {`,
    tests: ['test/console/server/audit.test.ts'],
  },
  {
    name: 'console/audit: a line behind the last one is listed',
    file: 'src/lib/chained-log/chained-log.ts',
    find: `return latestIn(this.files, accepts, max, this.size);`,
    replace: `return latestIn(this.files, accepts, max);`,
    tests: ['test/console/server/audit.test.ts'],
  },
  {
    name: 'console/uploads: segments get a container where there is none',
    file: 'console/surfaces/files/upload-routes.ts',
    find: `if (status === 404) throw new ApiError('no_such_container', 'The bucket does not exist.');
  const place`,
    replace: `const place`,
    tests: ['test/console/files/rights.test.ts'],
  },
  {
    name: 'console/files: a browser shows PDF, and runs its scripts',
    file: 'console/surfaces/files/object-body.ts',
    find: `  'text/plain',
`,
    replace: `  'text/plain',
  'application/pdf',
`,
    tests: ['test/console/files/files.test.ts'],
  },
  {
    name: 'deploy/local: the probe of a folder is written through a link',
    file: 'src/deploy/drivers/local.ts',
    find: `await rm(place, { force: true });
  await (await open(place, 'wx', 0o600)).close();`,
    replace: `await (await open(place, 'w', 0o600)).close();`,
    tests: ['test/deploy/runs.test.ts'],
  },
  {
    name: 'deploy/ssh: the probe of a folder is written through a link',
    file: 'src/deploy/drivers/remote-script.ts',
    find: `        os.unlink(place)
    except FileNotFoundError:
        pass
    os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))`,
    replace: `        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except FileNotFoundError:
        pass`,
    tests: ['test/deploy/ssh.test.ts'],
  },
  {
    name: 'deploy/spec: an option names code for Swift to run',
    file: 'src/deploy/spec/cross-checks.ts',
    find: `if (CODE_OPTIONS.has(option)) {`,
    replace: `if (option === '') {`,
    tests: ['test/deploy/spec.test.ts'],
  },
  {
    name: 'console/users: the new file is written through a link',
    file: 'console/surfaces/users/scripts.ts',
    find: `cp -a --remove-destination -- "$conf" "$new"`,
    replace: `cp -a -- "$conf" "$new"`,
    tests: ['test/console/users/scripts.test.ts'],
  },
  {
    name: 'console/search: a pattern may take as long as it likes for a page',
    file: 'console/surfaces/files/search-thread.ts',
    find: `|| performance.now() >= endsAt) break;`,
    replace: `|| performance.now() < 0) break;`,
    tests: ['test/console/files/search.test.ts'],
  },
  {
    name: 'console/search: a page that took too long counts as searched',
    file: 'console/surfaces/files/search.ts',
    find: `if (compared.scanned < compared.rows) throw tooSlow();`,
    replace: ``,
    tests: ['test/console/files/search.test.ts'],
  },
];
