import { expect } from 'chai';
import { VersionKeepers } from '../../../console/surfaces/files/version-keepers.js';
import type { StoreInfoCache } from '../../../console/swift/info.js';
import type { SwiftAccount } from '../../../console/swift/account.js';

interface Given {
  status: number;
  headers: Readonly<Record<string, string>>;
}

describe('console files: keepers of versions', () => {
  const swift = { hasObjectVersioning: true, hasArchiveVersioning: true };
  let container: Given;
  let heads: number;
  let nowMs: number;
  let info: object;
  let keepers: VersionKeepers;

  const account = {
    name: 'AUTH_test',
    do: () => {
      heads += 1;
      return Promise.resolve(container);
    },
  } as unknown as SwiftAccount;

  beforeEach(() => {
    container = { status: 204, headers: {} };
    heads = 0;
    nowMs = 0;
    info = swift;
    const cache = { get: () => Promise.resolve(info) } as unknown as StoreInfoCache;
    keepers = new VersionKeepers(cache, () => nowMs);
  });

  const asked = async (name = 'c') => [await keepers.mayKeep(account, name), heads];

  it('makes no request where the store has no versions', async () => {
    info = { hasObjectVersioning: false, hasArchiveVersioning: false };
    expect(await asked()).to.deep.equal([false, 0]);
  });

  for (const [title, given, expected] of [
    ['no versions', { status: 204, headers: {} }, false],
    ['versions', { status: 204, headers: { 'x-versions-enabled': 'True' } }, true],
    ['versions of the past', { status: 204, headers: { 'x-versions-enabled': 'False' } }, false],
    ['an archive', { status: 204, headers: { 'x-versions-location': 'old' } }, true],
    ['a history', { status: 204, headers: { 'x-history-location': 'old' } }, true],
    ['headers that are not for everybody', { status: 403, headers: {} }, true],
  ] as const) {
    it(`looks at a container with ${title}, and remembers it`, async () => {
      container = given;
      expect(await asked()).to.deep.equal([expected, 1]);
      expect(await asked()).to.deep.equal([expected, 1]);
      expect(await asked('other')).to.deep.equal([expected, 2]);
    });
  }

  it('looks again after a while, and when something changed', async () => {
    expect(await asked()).to.deep.equal([false, 1]);
    container = { status: 204, headers: { 'x-versions-enabled': 'True' } };
    nowMs = 29_999;
    expect(await asked()).to.deep.equal([false, 1]);
    nowMs = 30_000;
    expect(await asked()).to.deep.equal([true, 2]);
    container = { status: 204, headers: {} };
    keepers.forget(account, 'c');
    expect(await asked()).to.deep.equal([false, 3]);
  });

  it('remembers a bounded number', async () => {
    for (let i = 0; i <= 1000; i++) await asked(`c${i}`);
    expect(await asked('c1')).to.deep.equal([false, 1001]);
    expect(await asked('c0')).to.deep.equal([false, 1002]);
  });
});
