/**
 * Clusters: direct reads from storage servers, users of a Keystone, and what Deploy refuses.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const CLUSTERS = [
  {
    name: 'direct reads: data is believed that is older than its deletion',
    file: 'src/backend/swift/direct/node-walk.ts',
    find: `return time === undefined || time >= this.#tombstone;`,
    replace: `return time === undefined || this.#tombstone !== time;`,
    tests: [
      'test/backend/swift/direct/nodes.test.ts',
      'test/backend/swift/direct/servers.test.ts',
      'test/backend/swift/direct/direct-transport.test.ts',
    ],
  },
  {
    name: 'direct reads: a 404 of a primary is another failure',
    file: 'src/backend/swift/direct/node-walk.ts',
    find: `if (status !== 404) return { kind: 'failed' };`,
    replace: `if (status !== 410) return { kind: 'failed' };`,
    tests: [
      'test/backend/swift/direct/nodes.test.ts',
      'test/backend/swift/direct/servers.test.ts',
      'test/backend/swift/direct/direct-transport.test.ts',
    ],
  },
  {
    name: 'direct reads: a handoff is asked where all primaries have said no',
    file: 'src/backend/swift/direct/node-walk.ts',
    find: `while (this.#replaced < Math.min(this.#failures, this.#primaryCount)) {`,
    replace: `while (this.#replaced < this.#primaryCount) {`,
    tests: ['test/backend/swift/direct/node-walk.test.ts'],
  },
  {
    name: 'direct reads: no handoff is asked for a primary that fails',
    file: 'src/backend/swift/direct/node-walk.ts',
    find: `while (this.#replaced < Math.min(this.#failures, this.#primaryCount)) {`,
    replace: `while (this.#replaced < Math.min(0, this.#primaryCount)) {`,
    tests: ['test/backend/swift/direct/node-walk.test.ts'],
  },
  {
    name: 'direct reads: an answer out of range is a failure',
    file: 'src/backend/swift/direct/node-walk.ts',
    find: `if ((status >= 200 && status < 300) || status === 416) {`,
    replace: `if (status >= 200 && status < 300) {`,
    tests: ['test/backend/swift/direct/node-walk.test.ts'],
  },
  {
    name: 'direct reads: the nearest server is asked last',
    file: 'src/backend/swift/direct/node-walk.ts',
    find: `a.rank === b.rank ? a.lot - b.lot : a.rank - b.rank`,
    replace: `a.rank === b.rank ? a.lot - b.lot : b.rank - a.rank`,
    tests: [
      'test/backend/swift/direct/nodes.test.ts',
      'test/backend/swift/direct/servers.test.ts',
      'test/backend/swift/direct/direct-transport.test.ts',
    ],
  },
  {
    name: 'direct reads: a rule of a zone is not looked at',
    file: 'src/backend/swift/direct/affinity.ts',
    find: `Math.min(ranks.get(\`\${region}/\${zone}\`) ?? Infinity, ranks.get(String(region)) ?? Infinity);`,
    replace: `ranks.get(String(region)) ?? Infinity;`,
    tests: [
      'test/backend/swift/direct/nodes.test.ts',
      'test/backend/swift/direct/servers.test.ts',
      'test/backend/swift/direct/direct-transport.test.ts',
    ],
  },
  {
    name: 'direct reads: a server that hangs once is asked again',
    file: 'src/backend/swift/direct/node-health.ts',
    find: `new Set(['connect', 'timeout', 'full'])`,
    replace: `new Set(['connect', 'full'])`,
    tests: [
      'test/backend/swift/direct/nodes.test.ts',
      'test/backend/swift/direct/servers.test.ts',
      'test/backend/swift/direct/direct-transport.test.ts',
    ],
  },
  {
    name: 'direct reads: a server that is left out gets requests beside its trial',
    file: 'src/backend/swift/direct/node-health.ts',
    find: `if (now < this.#leftOutUntil || now < this.#trialUntil) return false;`,
    replace: `if (now < this.#leftOutUntil) return false;`,
    tests: [
      'test/backend/swift/direct/nodes.test.ts',
      'test/backend/swift/direct/servers.test.ts',
      'test/backend/swift/direct/direct-transport.test.ts',
    ],
  },
  {
    name: 'direct reads: a server that fails its trials is asked every second',
    file: 'src/backend/swift/direct/node-health.ts',
    find: `Math.max(LEFT_OUT_MS, this.#leftOutForMs * 2)`,
    replace: `Math.max(LEFT_OUT_MS, this.#leftOutForMs * 1)`,
    tests: [
      'test/backend/swift/direct/nodes.test.ts',
      'test/backend/swift/direct/servers.test.ts',
      'test/backend/swift/direct/direct-transport.test.ts',
    ],
  },
  {
    name: 'Keystone: a user whose time is over goes on without an outage',
    file: 'src/identity/known-users.ts',
    find: `const mayServe = this.#isOut && this.options.now() < this.#retryAt;`,
    replace: `const mayServe = this.options.now() < this.#retryAt || !this.#isOut;`,
    tests: [
      'test/identity/identity.test.ts',
      'test/identity/outage.test.ts',
      'test/identity/parts.test.ts',
    ],
  },
  {
    name: 'Keystone: an outage that is over goes on',
    file: 'src/identity/known-users.ts',
    find: `  answered(): void {
    this.#isOut = false;
  }`,
    replace: `  answered(): void {
    this.#retryAt = -Infinity;
  }`,
    tests: ['test/identity/asking.test.ts'],
  },
  {
    name: 'Keystone: every request asks during an outage',
    file: 'src/identity/known-users.ts',
    find: `this.#retryAt = Infinity;`,
    replace: `this.#retryAt = 0;`,
    tests: ['test/identity/asking.test.ts'],
  },
  {
    name: 'Keystone: users are kept during an outage for no longer than without one',
    file: 'src/identity/known-users.ts',
    find: `cacheMs === 0 ? 0 : cacheMs + staleMs`,
    replace: `cacheMs === 0 ? 0 : cacheMs`,
    tests: [
      'test/identity/identity.test.ts',
      'test/identity/outage.test.ts',
      'test/identity/parts.test.ts',
    ],
  },
  {
    name: 'Keystone: each request that has no token logs in',
    file: 'src/identity/service-token.ts',
    find: `this.#pending ??= this.#logIn()`,
    replace: `this.#pending = this.#logIn()`,
    tests: ['test/identity/asking.test.ts'],
  },
  {
    name: 'Keystone: a login that failed is tried with each request',
    file: 'src/identity/service-token.ts',
    find: `until: this.now() + RETRY_MS };`,
    replace: `until: this.now() };`,
    tests: [
      'test/identity/identity.test.ts',
      'test/identity/outage.test.ts',
      'test/identity/parts.test.ts',
    ],
  },
  {
    name: 'Keystone: wrong signatures log the gateway in again and again',
    file: 'src/identity/service-token.ts',
    find: `if (this.now() - token.provenAt < PROVEN_MS) return false;`,
    replace: ``,
    tests: [
      'test/identity/identity.test.ts',
      'test/identity/outage.test.ts',
      'test/identity/parts.test.ts',
    ],
  },
  {
    name: 'Keystone: a token is used to its last second',
    file: 'src/identity/service-token.ts',
    find: `expiresAt: now + lifeMs - marginMs`,
    replace: `expiresAt: now + lifeMs + marginMs - marginMs`,
    tests: [
      'test/identity/identity.test.ts',
      'test/identity/outage.test.ts',
      'test/identity/parts.test.ts',
    ],
  },
  {
    name: 'Keystone: a 404 of whatever else answers is an unknown key',
    file: 'src/identity/signature-service.ts',
    find: `if (status === 404 && isErrorDocument(json)) return 'unknown';`,
    replace: `if (status === 404) return 'unknown';`,
    tests: [
      'test/identity/identity.test.ts',
      'test/identity/outage.test.ts',
      'test/identity/parts.test.ts',
    ],
  },
  {
    name: 'Keystone: a right to secrets that is missing is asked about with every request',
    file: 'src/identity/signature-service.ts',
    find: `this.#secretsRefusedAt = this.#parts.now();`,
    replace: ``,
    tests: ['test/identity/asking.test.ts'],
  },
  {
    name: 'deploy/plan: a ring may get another part power',
    file: 'src/deploy/plan/refusals.ts',
    find: `if (builder.partPower !== ring.part_power) {`,
    replace: `if (builder.partPower > ring.part_power + 32) {`,
    tests: ['test/deploy/plan.test.ts', 'test/deploy/make-plan.test.ts'],
  },
  {
    name: 'deploy/plan: replicas may go without a word',
    file: 'src/deploy/plan/refusals.ts',
    find: `if (ring.replicas < builder.replicas) {`,
    replace: `if (ring.replicas < builder.replicas - 1) {`,
    tests: ['test/deploy/plan.test.ts', 'test/deploy/make-plan.test.ts'],
  },
  {
    name: 'deploy/plan: two zones may go at once',
    file: 'src/deploy/plan/refusals.ts',
    find: `if (zones.size > 1) {`,
    replace: `if (zones.size > 2) {`,
    tests: ['test/deploy/plan.test.ts', 'test/deploy/make-plan.test.ts'],
  },
  {
    name: 'deploy/plan: a drained device counts as weight that is kept',
    file: 'src/deploy/plan/refusals.ts',
    find: `sum + Math.max(0, weight - (kept.get(id) ?? 0)),`,
    replace: `sum + (kept.has(id) ? 0 : weight),`,
    tests: ['test/deploy/plan.test.ts', 'test/deploy/make-plan.test.ts'],
  },
  {
    name: 'deploy/plan: a policy may go without a word',
    file: 'src/deploy/plan/refusals.ts',
    find: `if (now === undefined) {
      const message`,
    replace: `if (now === undefined && before.policies.length === 0) {
      const message`,
    tests: ['test/deploy/plan.test.ts', 'test/deploy/make-plan.test.ts'],
  },
  {
    name: 'deploy/plan: a policy may get other segments',
    file: 'src/deploy/plan/refusals.ts',
    find: `old.ec?.segment_bytes === ec?.segment_bytes &&`,
    replace: ``,
    tests: ['test/deploy/plan.test.ts', 'test/deploy/make-plan.test.ts'],
  },
  {
    name: 'deploy/plan: the hash of paths may change',
    file: 'src/deploy/plan/refusals.ts',
    find: `for (const key of ['prefix_ref', 'suffix_ref'] as const) {`,
    replace: `for (const key of ['prefix_ref'] as const) {`,
    tests: ['test/deploy/plan.test.ts', 'test/deploy/make-plan.test.ts'],
  },
  {
    name: 'deploy/spec: an option may name code that Swift runs',
    file: 'src/deploy/spec/cross-checks.ts',
    find: `} else if (CODE_OPTIONS.has(option)) {`,
    replace: `} else if (CODE_OPTIONS.has(section)) {`,
    tests: ['test/deploy/spec.test.ts'],
  },
  {
    name: 'deploy/spec: a secret may stand in a specification',
    file: 'src/deploy/spec/cross-checks.ts',
    find: `isSecretName(option) || option.startsWith('user_')`,
    replace: `option.startsWith('user_')`,
    tests: ['test/deploy/spec.test.ts'],
  },
  {
    name: 'deploy/spec: a ring may have too few devices with a weight',
    file: 'src/deploy/spec/cross-checks.ts',
    find: `devices.filter(({ device }) => device.weight > 0).length;`,
    replace: `devices.filter(({ device }) => device.weight >= 0).length;`,
    tests: ['test/deploy/spec.test.ts'],
  },
  {
    name: 'deploy/spec: a code that loses data is taken',
    file: 'src/deploy/spec/cross-checks.ts',
    find: `ec.m >= 5 && !deprecated`,
    replace: `ec.m >= 6 && !deprecated`,
    tests: ['test/deploy/spec.test.ts'],
  },
  {
    name: 'deploy/spec: a device may be mounted where Swift looks for another',
    file: 'src/deploy/spec/cross-checks.ts',
    find: `device.mount !== undefined && device.mount !== \`\${root}/\${device.name}\``,
    replace: `device.mount !== undefined && !device.mount.startsWith(root)`,
    tests: ['test/deploy/spec.test.ts'],
  },
  {
    name: 'deploy/spec: two servers may have one address',
    file: 'src/deploy/spec/network-checks.ts',
    find: `if (before !== undefined && before !== what) {`,
    replace: `if (before !== undefined && before === what) {`,
    tests: ['test/deploy/spec.test.ts'],
  },
];
