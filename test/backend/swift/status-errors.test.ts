import { expect } from 'chai';
import { statusError, type SwiftCall } from '../../../src/backend/swift/status-errors.js';

/** Bodies as Swift 2.30 writes them. */
const CASES: readonly (readonly [SwiftCall, number, string, string])[] = [
  ['object_put', 404, '<html><h1>Not Found</h1></html>', 'NoSuchContainer'],
  ['object', 404, '', 'NoSuchObject'],
  ['container', 404, '', 'NoSuchContainer'],
  ['container_delete', 404, '', 'NoSuchContainer'],
  ['container_delete', 409, '', 'ContainerNotEmpty'],
  ['object_put', 400, 'Object name length of 1025 longer than 1024', 'NameTooLong'],
  ['container_put', 400, 'Container name length of 257 longer than 256', 'NameTooLong'],
  ['object_put', 400, 'Metadata value longer than 256: X-Object-Meta-A', 'Unsupported'],
  ['object', 414, '', 'NameTooLong'],
  ['object_put', 413, 'Upload exceeds quota.', 'QuotaExceeded'],
  ['object_put', 413, 'Upload exceeds policy quota.', 'QuotaExceeded'],
  ['object_put', 413, 'Your request is too large.', 'StorageFull'],
  ['object_put', 507, '', 'StorageFull'],
  ['container_put', 403, 'Reached container limit of 5', 'StorageFull'],
  ['container_put', 403, '', 'Unavailable'],
  ['object_put', 422, '', 'BodyMismatch'],
  ['object_put', 499, '', 'BodyMismatch'],
  ['object_put', 408, '', 'Timeout'],
  ['manifest_put', 400, 'Errors:\n/c/o, 404 Not Found', 'SegmentMismatch'],
  ['manifest_put', 404, '', 'NoSuchContainer'],
  ['object', 409, 'Too many levels of symbolic links', 'BrokenLink'],
  ['account', 401, '', 'Unavailable'],
  ['object', 403, '', 'Unavailable'],
  ['object', 498, 'Slow down', 'Unavailable'],
  ['object', 500, '', 'Unavailable'],
  ['object', 503, '', 'Unavailable'],
  ['object', 418, '', 'Unavailable'],
];

describe('statusError', () => {
  for (const [call, status, detail, code] of CASES) {
    it(`says ${code} of ${status} on ${call}${detail === '' ? '' : ` (${detail.trim()})`}`, () => {
      expect(statusError(call, status, 'a call', detail).code).to.equal(code);
    });
  }

  it('says for how long the cluster wants no more requests', () => {
    const after = (status: number, header?: string): number | undefined =>
      statusError('object', status, 'a call', '', header).retryAfterMs;
    for (const status of [429, 497, 498]) {
      expect(after(status), 'it does not say how long').to.equal(Infinity);
      expect(after(status, '7')).to.equal(7000);
    }
    expect(after(503)).to.equal(undefined);
    expect(after(503, '1')).to.equal(1000);
    expect(after(503, 'soon')).to.equal(undefined);
    expect(after(503, 'Thu, 01 Jan 1970 00:00:00 GMT')).to.equal(0);
    const date = new Date(Date.now() + 60_000).toUTCString();
    expect(after(429, date)).to.be.within(1, 60_000);
    expect(after(409), 'a change in the same instant').to.equal(undefined);
  });

  it('tells the operator what to look at when the user is refused', () => {
    const { message } = statusError('account', 403, 'GET AUTH_test', 'Forbidden\n');
    expect(message).to.match(/^GET AUTH_test: 403, Swift refused the gateway's user: /);
    expect(message).to.match(/\(Forbidden\)$/);
  });

  it('repeats no more than a line of a long answer', () => {
    const { message } = statusError('object', 500, 'GET a/b/c', 'x'.repeat(10_000));
    expect(message.length).to.be.lessThan(400);
  });
});
