import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ManifestSharing } from '../../../console/surfaces/files/manifest-sharing.js';
import { LISTING_LIMIT } from '../../../console/surfaces/files/swift-listing.js';
import { SwiftAccount } from '../../../console/swift/account.js';
import { swiftLogin } from '../../../console/swift/login.js';
import { Upstream } from '../../../console/swift/upstream.js';

const PLAIN = 'plain';
const VERSIONED = 'versioned';
const HISTORY = 'history';
/** By container: what its headers say. */
const HEADERS: Readonly<Record<string, http.OutgoingHttpHeaders>> = {
  [PLAIN]: {},
  [VERSIONED]: { 'x-versions-enabled': 'False' },
  [HISTORY]: { 'x-history-location': 'old' },
};

/** ETags of large objects: those that are current, and those of former versions. */
const CURRENT: Readonly<Record<string, readonly string[]>> = {
  [PLAIN]: ['alone', 'copied', 'copied', 'kept'],
};
const FORMER: Readonly<Record<string, readonly string[]>> = { [VERSIONED]: ['kept'] };
/** A page of versions is full of what is older than versioning. */
const FIRST_PAGE = Array.from({ length: LISTING_LIMIT }, (_, i) => ({
  name: `a${i}`,
  version_id: 'null',
}));

describe('console files: segments that large objects share', () => {
  let server: http.Server;
  let store: Upstream;
  let account: SwiftAccount;

  before(async () => {
    server = http.createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://store.example');
      if (url.pathname === '/auth/v1.0') {
        const headers = {
          'x-auth-token': 't',
          'x-storage-url': 'http://store.example/v1/AUTH_test',
        };
        return void response.writeHead(200, headers).end();
      }
      const container = url.pathname.split('/')[3] ?? '';
      if (request.method === 'HEAD') return void response.writeHead(204, HEADERS[container]).end();
      if (container === '') {
        const rows = Object.keys(HEADERS).map((name) => ({ name }));
        return void response.end(JSON.stringify(rows));
      }
      const { searchParams: asked } = url;
      if (asked.has('versions') && !asked.has('marker')) {
        return void response.end(JSON.stringify(FIRST_PAGE));
      }
      // As Swift has it: behind a marker of `null` no versions follow.
      const hasFormer = asked.has('versions') && asked.get('version_marker') !== 'null';
      const former = hasFormer ? (FORMER[container] ?? []) : [];
      const etags = [...(CURRENT[container] ?? []), ...former];
      const rows = etags.map((etag, i) => ({ name: `o${i}`, slo_etag: `"${etag}"` }));
      response.end(JSON.stringify(rows));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const address = { secure: false, host: '127.0.0.1', port, basePath: '' };
    store = new Upstream(address);
    const auth = new Upstream({ ...address, basePath: '/auth/v1.0' });
    const login = () => swiftLogin(auth, 'test:tester', 'testing');
    account = new SwiftAccount({ store, token: await login(), login, now: Date.now });
    auth.close();
  });

  after(() => {
    store.close();
    server.close();
    server.closeAllConnections();
  });

  it('counts copies, and versions that are not current, page by page', async () => {
    const sharing = new ManifestSharing(account);
    const shared = async (etag: string) => sharing.isShared(PLAIN, etag);
    expect(await shared('alone')).to.equal(false);
    expect(await shared('copied')).to.equal(true);
    expect(await shared('kept')).to.equal(true);
    sharing.forget('copied');
    expect(await shared('copied')).to.equal(false);
  });

  it('leaves the segments where a deleted manifest lives on', async () => {
    const sharing = new ManifestSharing(account);
    for (const container of [VERSIONED, HISTORY]) {
      expect(await sharing.isShared(container, 'alone'), container).to.equal(true);
    }
  });
});
