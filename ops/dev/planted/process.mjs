/**
 * Processes: the supervisor, listeners, metrics, admission, and the filter for Swift.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const PROCESS = [
  {
    name: 'metrics: a bucket that is pushed out loses the bytes that it sent',
    file: 'src/telemetry/bucket-metrics.ts',
    find: `this.#other.bytesOut += tally.bytesOut;`,
    replace: ``,
    tests: ['test/telemetry/metrics.test.ts'],
  },
];
