/**
 * The console, and the Swift API of its store.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const CONSOLE = [
  {
    name: 'tempurl: a URL of a folder opens the whole container',
    file: 'src/swift-api/tempurl/open.ts',
    find: `if (prefix !== undefined && !target.object.startsWith(prefix)) throw invalid();`,
    replace: ``,
    tests: ['test/swift-api/tempurl.test.ts'],
  },
  {
    name: 'tempurl: the range of addresses does not count',
    file: 'src/swift-api/tempurl/open.ts',
    find: `if (ipRange !== undefined && !isWithin(clientAddress, ipRange)) throw invalid();`,
    replace: ``,
    tests: ['test/swift-api/tempurl.test.ts'],
  },
  {
    name: 'tempurl: the key of a container opens the account',
    file: 'src/swift-api/tempurl/scope.ts',
    find: `account === this.account && (this.container === undefined || container === this.container)`,
    replace: `account === this.account`,
    tests: ['test/swift-api/tempurl.test.ts'],
  },
  {
    name: 'tempurl: it never expires',
    file: 'src/swift-api/tempurl/parameters.ts',
    find: `expiresAtS === undefined || expiresAtS < nowS)`,
    replace: `expiresAtS === undefined)`,
    tests: ['test/swift-api/golden.test.ts'],
  },
  {
    name: 'console/tempurl: a member makes URLs that write',
    file: 'console/surfaces/files/tempurl-routes.ts',
    find: `given.method === 'PUT' && !hasRight(user.role, 'manage')`,
    replace: `given.method === 'PUT' && !hasRight(user.role, 'write')`,
    tests: ['test/console/files/tempurl.test.ts'],
  },
  {
    name: 'console/tempurl: the life that was asked for is ignored',
    file: 'console/surfaces/files/tempurl-routes.ts',
    find: `given.expires_in_s ?? options.tempurlDefaultSecs`,
    replace: `options.tempurlDefaultSecs`,
    tests: ['test/console/files/tempurl.test.ts'],
  },
  {
    name: 'console/tempurl: a URL may live for more than a year',
    file: 'console/surfaces/files/tempurl-routes.ts',
    find: `.max(365 * 86_400)`,
    replace: ``,
    tests: ['test/console/files/tempurl.test.ts'],
  },
  {
    name: 'console/trash: it lives for a tenth of its time',
    file: 'console/surfaces/files/trash.ts',
    find: `const DAY_S = 86_400;`,
    replace: `const DAY_S = 8_640;`,
    tests: ['test/console/files/trash.test.ts'],
  },
  {
    name: 'console/trash: an expiry that has passed is put back',
    file: 'console/surfaces/files/trash.ts',
    find: `deleteAt * 1000 > nowMs ?`,
    replace: `deleteAt > 0 ?`,
    tests: ['test/console/files/trash.test.ts'],
  },
  {
    name: 'console/zip: a file gets the name of a folder that differs in case',
    file: 'console/surfaces/files/zip-names.ts',
    find: `this.#folders.add(folder.slice(0, -1).toLowerCase());`,
    replace: `this.#folders.add(folder.slice(0, -1));`,
    tests: ['test/console/files/zip.test.ts'],
  },
  {
    name: 'console/host: loopback is answered without its port',
    file: 'console/server/hosts.ts',
    find: `...LOOPBACK.map((host) => \`\${host}:\${bind.port}\`),`,
    replace: `...LOOPBACK.flatMap((host) => [host, \`\${host}:\${bind.port}\`]),`,
    tests: ['test/console/server/attacks.test.ts'],
  },
];
