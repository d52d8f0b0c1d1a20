import { expect } from 'chai';
import { parseAffinity } from '../../../../src/backend/swift/direct/affinity.js';
import {
  addLink,
  linkTarget,
  refusalOf,
  toGateway,
} from '../../../../src/backend/swift/direct/node-headers.js';
import { NodeHealth } from '../../../../src/backend/swift/direct/node-health.js';

const PLAIN = { etag: '"e"', 'x-backend-data-timestamp': '1.0', 'x-timestamp': '1.0' };

function headers(more: Record<string, string> = {}): Map<string, string> {
  return new Map(Object.entries({ ...PLAIN, ...more }));
}

describe('headers of storage servers', () => {
  it('get the names that the filter gives them, and no others', () => {
    const given = headers({
      'x-object-sysmeta-a': '1',
      'x-object-transient-sysmeta-b': '2',
      'x-object-meta-100%': 'c',
      'x-object-meta-%41': 'd',
      'x-backend-fragments': '{}',
    });
    expect(Object.fromEntries(toGateway(given))).to.deep.equal({
      etag: 'e',
      'x-timestamp': '1.0',
      'x-gateway-data-timestamp': '1.0',
      'x-gateway-sysmeta-object-a': '1',
      'x-gateway-sysmeta-transient-b': '2',
      'x-object-meta-100%25': 'c',
      'x-object-meta-%41': 'd',
    });
  });

  it('of a link are added to those of its target', () => {
    const to = toGateway(headers());
    const link = headers({
      etag: '"l"',
      'x-object-sysmeta-symlink-target': 'c/o',
      'x-object-transient-sysmeta-t': '3',
      'x-object-meta-m': 'no',
    });
    addLink(to, link, '/v1/a/c/o');
    expect(Object.fromEntries(to)).to.include({
      etag: 'e',
      'content-location': '/v1/a/c/o',
      'x-gateway-link-etag': 'l',
      'x-gateway-link-timestamp': '1.0',
      'x-gateway-link-sysmeta-symlink-target': 'c/o',
      'x-gateway-link-transient-t': '3',
    });
    expect(to.has('x-object-meta-m')).to.equal(false);
    expect(linkTarget(link)).to.equal('c/o');
  });

  const refused: readonly (readonly [string, string, string | undefined])[] = [
    ['x-object-meta-a', '1', undefined],
    ['x-object-sysmeta-symlink-target', 'c/o', undefined],
    ['x-static-large-object', 'True', 'large_object'],
    ['x-object-manifest', 'c/p', 'dynamic_large_object'],
    ['x-object-sysmeta-crypto-body-meta', '{}', 'encrypted'],
    ['x-object-transient-sysmeta-crypto-meta-a', '{}', 'encrypted'],
    ['x-object-sysmeta-ec-etag', 'e', 'erasure_coded'],
    ['x-object-sysmeta-symlink-target-account', 'b', 'link'],
    ['x-object-sysmeta-symlink-target-etag', 'e', undefined],
    ['x-object-sysmeta-versions-symlink', 'true', 'link'],
    ['x-backend-something-new', '1', 'not_understood'],
  ];
  for (const [name, value, reason] of refused) {
    it(`with ${name} are ${reason ?? 'understood'}`, () => {
      expect(refusalOf(headers({ [name]: value }))).to.equal(reason);
    });
  }

  it('without a timestamp are not understood', () => {
    expect(refusalOf(new Map([['etag', 'e']]))).to.equal('not_understood');
  });
});

describe('read affinity', () => {
  it("follows Swift's rules", () => {
    const rank = parseAffinity('r1z1=100, r1=200,r2z3 = 50');
    expect(rank?.({ region: 1, zone: 1 })).to.equal(100);
    expect(rank?.({ region: 1, zone: 2 })).to.equal(200);
    expect(rank?.({ region: 2, zone: 3 })).to.equal(50);
    expect(rank?.({ region: 2, zone: 1 })).to.equal(Infinity);
  });

  it('may be empty, and nothing else', () => {
    expect(parseAffinity('')?.({ region: 7, zone: 1 })).to.equal(0);
    expect(parseAffinity('z1=2')).to.equal(undefined);
  });
});

describe('health of a storage server', () => {
  it('leaves one that hangs out at once, and tries it with one request later', () => {
    const health = new NodeHealth(500);
    expect(health.admits(0)).to.equal(true);
    health.failed('timeout', 0);
    expect(health.admits(999)).to.equal(false);
    expect(health.admits(1000)).to.equal(true);
    expect(health.admits(1000)).to.equal(false);
    health.answered();
    expect(health.admits(1001)).to.equal(true);
  });

  it('leaves it out for longer each time, a minute at most', () => {
    const health = new NodeHealth(500);
    let now = 0;
    for (let i = 0; i < 10; i++) {
      health.failed('timeout', now);
      now += 60_000;
      expect(health.admits(now), `${i}`).to.equal(true);
    }
    health.failed('timeout', now);
    expect(health.admits(now + 59_999)).to.equal(false);
  });

  it('is not changed by those that were under way when it was left out', () => {
    const health = new NodeHealth(500);
    for (let i = 0; i < 8; i++) health.failed('timeout', i);
    expect(health.admits(1000)).to.equal(true);
  });

  it('bears ten errors in a minute that are not grave', () => {
    const health = new NodeHealth(500);
    for (let i = 0; i < 10; i++) health.failed('status', i);
    expect(health.admits(10)).to.equal(true);
    health.failed('status', 11);
    expect(health.admits(12)).to.equal(false);
  });
});
