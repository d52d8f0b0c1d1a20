/**
 * The Swift API of the embedded store, and the filter for Swift.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const SWIFT_API = [
  {
    name: 'swift-api/lock: a bulk deletion with an access rule among its headers deletes',
    file: 'src/swift-api/container/write-container.ts',
    find: `  await checkWritable(call, call.target, head);`,
    replace: `  if (!mayItsOwnerChange(call.headers, '')) await checkWritable(call, call.target, head);`,
    tests: ['test/swift-api/requests.test.ts'],
  },
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
    file: 'src/swift-api/tempurl/parameters.ts',
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
    name: 'swift-api: what a container is called is told to strangers',
    file: 'src/swift-api/auth/authorise.ts',
    find: `const hasAcl = access.kind === 'read' || access.isObject;`,
    replace: `const hasAcl = true;`,
    tests: ['test/swift-api/requests.test.ts'],
  },
  {
    name: 'tempurl: an upload may point to what it may not read',
    file: 'src/swift-api/tempurl/open.ts',
    find: `refusePointers(call);`,
    replace: ``,
    tests: ['test/swift-api/tempurl.test.ts'],
  },
  {
    name: 'filter: a signature is good for ever',
    file: 'ops/swift/ringway_filter/signature.py',
    find: `if abs(self._now() - int(seconds)) > self._window_seconds:`,
    replace: `if self._window_seconds < 0:`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'filter: one signature opens all methods',
    file: 'ops/swift/ringway_filter/signature.py',
    find: `message = '%s\\n%s\\n%s' % (method, target, seconds)`,
    replace: `message = '%s\\n%s' % (target, seconds)`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'filter: two have one lease',
    file: 'ops/swift/ringway_filter/lease.py',
    find: `if count != 1:`,
    replace: `if count < 1:`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'filter: a lease that is lost is let go for another',
    file: 'ops/swift/ringway_filter/lease.py',
    find: `if self.is_held():
                    leases._ring.delete(self._lock)`,
    replace: `if self._lock:
                    leases._ring.delete(self._lock)`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'filter: a lease has no end for its holder',
    file: 'ops/swift/ringway_filter/lease.py',
    find: `if self._until is None or leases._now() >= self._until:`,
    replace: `if self._until is None:`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'filter: who made a long body does not look whether it stayed',
    file: 'ops/swift/ringway_filter/exclusive.py',
    find: `attempt.check_newest()`,
    replace: `pass`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
  {
    name: 'filter: clients write where only the gateway may',
    file: 'ops/swift/ringway_filter/guard.py',
    find: `if answer is not None:`,
    replace: `if answer is Ellipsis:`,
    tests: ['test/ops/swift-filter.test.ts'],
  },
];
