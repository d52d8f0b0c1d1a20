/**
 * The client of Swift: retries, tokens, endpoints, what answers mean.
 *
 * @type {readonly import('../lib/planted.mjs').PlantedBug[]}
 */
export const SWIFT = [
  {
    name: 'swift: a body that has begun is sent again after 401',
    file: 'src/backend/swift/net/sender.ts',
    find: `if (course.refusals >= REFUSALS_MAX || course.upload?.begun === true) return undefined;`,
    replace: `if (course.refusals >= REFUSALS_MAX) return undefined;`,
    tests: ['test/backend/swift/transport-tokens.test.ts'],
  },
  {
    name: 'swift: a write that may have been done is sent again',
    file: 'src/backend/swift/net/retry-policy.ts',
    find: `unanswered: ({ upload, repeatable }) => upload === undefined && repeatable,`,
    replace: `unanswered: ({ upload }) => upload === undefined,`,
    tests: ['test/backend/swift/transport-retry.test.ts'],
  },
  {
    name: 'swift: a busy answer to what is not repeatable is tried again',
    file: 'src/backend/swift/net/retry-policy.ts',
    find: `(upload === undefined ? repeatable : !upload.begun) ? 'status'`,
    replace: `(upload === undefined || !upload.begun) ? 'status'`,
    tests: ['test/backend/swift/transport-retry.test.ts'],
  },
  {
    name: 'swift: retries have no budget',
    file: 'src/backend/swift/net/retry-policy.ts',
    find: `if (this.#saved < 1) return false;`,
    replace: ``,
    tests: ['test/backend/swift/transport-retry.test.ts'],
  },
  {
    name: 'swift: everybody logs in by himself',
    file: 'src/backend/swift/net/tokens.ts',
    find: `if (state.pending !== undefined) return state.pending;`,
    replace: ``,
    tests: [
      'test/backend/swift/token-source.test.ts',
      'test/backend/swift/transport-tokens.test.ts',
    ],
  },
  {
    name: 'swift: a late 401 throws a newer token away',
    file: 'src/backend/swift/net/tokens.ts',
    find: `if (state.token !== token) return;`,
    replace: ``,
    tests: ['test/backend/swift/token-source.test.ts'],
  },
  {
    name: 'swift: a login that is refused is hammered',
    file: 'src/backend/swift/net/tokens.ts',
    find: `if (failure !== undefined && failure.until > this.now()) return Promise.reject(failure.error);`,
    replace: ``,
    tests: ['test/backend/swift/transport-tokens.test.ts'],
  },
  {
    name: 'swift: as many as like wait for a connection',
    file: 'src/backend/swift/net/endpoints.ts',
    find: `if (this.#waiters.size >= queueMax) {`,
    replace: `if (queueMax < 0) {`,
    tests: [
      'test/backend/swift/transport-endpoints.test.ts',
      'test/backend/swift/transport-failures.test.ts',
    ],
  },
  {
    name: 'swift: a connection is lost that was given to who has gone',
    file: 'src/backend/swift/net/endpoints.ts',
    find: `if (waiter.endpoint !== undefined) this.release(waiter.endpoint);`,
    replace: ``,
    tests: ['test/backend/swift/transport-endpoints.test.ts'],
  },
  {
    name: 'swift: failures of long ago eject an endpoint',
    file: 'src/backend/swift/net/endpoint.ts',
    find: `this.#failures = 0;`,
    replace: ``,
    tests: ['test/backend/swift/transport-health.test.ts'],
  },
  {
    name: 'swift: 202 is a success',
    file: 'src/backend/swift/put-answer.ts',
    find: `if (status === 202) return 'stale';`,
    replace: `if (status === 202) return 'created';`,
    tests: ['test/backend/swift/object-puts.test.ts'],
  },
  {
    name: 'swift: fences are created without asking the filter',
    file: 'src/backend/swift/put-answer.ts',
    find: `{ 'if-none-match': '*', 'x-gateway-create': 'exclusive' }`,
    replace: `{ 'if-none-match': '*' }`,
    tests: ['test/backend/swift/object-puts.test.ts'],
  },
  {
    name: 'swift: what was stored is not compared with what was sent',
    file: 'src/backend/swift/object-puts.ts',
    find: `if (stored === md5) return;`,
    replace: `if (stored !== '') return;`,
    tests: ['test/backend/swift/object-puts.test.ts'],
  },
  {
    name: 'swift: a write with a condition is repeatable',
    file: 'src/backend/swift/object-puts.ts',
    find: `repeatable: Buffer.isBuffer(body) && precondition === undefined && input.guard === undefined,`,
    replace: `repeatable: Buffer.isBuffer(body),`,
    tests: ['test/backend/swift/object-puts.test.ts'],
  },
  {
    name: 'swift: a full cluster is only busy',
    file: 'src/backend/swift/status-errors.ts',
    find: `507: [FULL],`,
    replace: ``,
    tests: ['test/backend/swift/status-errors.test.ts'],
  },
  {
    name: 'swift: an answer of too few servers is believed',
    file: 'src/backend/swift/transport.ts',
    find: `if (!response.headers.has(UNSURE_HEADER)) return response;`,
    replace: `if (response.headers.has('') || response.status > 0) return response;`,
    tests: ['test/backend/swift/sure-transport.test.ts'],
  },
  {
    name: 'swift: a segment with another ETag is taken',
    file: 'src/backend/swift/manifest-puts.ts',
    find: `if (!isPlain || head.size !== size || head.etag !== etag) throw segmentMismatch(segment);`,
    replace: `if (!isPlain || head.size !== size) throw segmentMismatch(segment);`,
    tests: ['test/backend/swift/manifest-puts.test.ts'],
  },
  {
    name: 'swift: a deletion that lost is told as done',
    file: 'src/backend/swift/object-deletes.ts',
    find: `if (response.status === 409) {`,
    replace: `if (response.status === 410) {`,
    tests: ['test/backend/swift/object-updates.test.ts'],
  },
];
