/**
 * Rings: lookups, plans and rebalances, beside those of Swift's own Python.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const RINGS = [
  {
    name: 'ring: a device with two replicas of a partition is there twice',
    file: 'src/ring/ring.ts',
    find: `if (device && !primaries.includes(device)) primaries.push(device);`,
    replace: `if (device) primaries.push(device);`,
    tests: ['test/ring/lookups-oracle.test.ts'],
  },
  {
    name: 'ring: the second round of handoffs begins with the first partition',
    file: 'src/ring/ring.ts',
    find: `this.#part = this.#step - ((this.count - this.start) % this.#step);`,
    replace: `this.#part = 0;`,
    tests: ['test/ring/lookups-oracle.test.ts'],
  },
  {
    name: 'ring: a device without weight is balanced whatever it has',
    file: 'src/ring/ring-health.ts',
    find: `balance: parts > 0 ? BALANCE_MAX : 0`,
    replace: `balance: 0`,
    tests: ['test/ring/plans-oracle.test.ts'],
  },
  {
    name: 'ring: a plan takes more overload than there is',
    file: 'src/ring/replica-plan.ts',
    find: `const used = Math.min(overload, requiredOverload);`,
    replace: `const used = requiredOverload;`,
    tests: ['test/ring/plans-oracle.test.ts'],
  },
  {
    name: 'ring: a partition moves before its hours are over',
    file: 'src/ring/builder/placement.ts',
    find: `(this.hoursSinceMove[part] ?? 0) >= this.#minPartHours`,
    replace: `(this.hoursSinceMove[part] ?? 0) >= 0 * this.#minPartHours`,
    tests: ['test/ring/builder-oracle.test.ts'],
  },
];
