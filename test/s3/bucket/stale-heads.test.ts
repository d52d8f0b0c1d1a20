import { expect } from 'chai';
import type * as B from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { Gateway, type Answer, type Request } from '../retries/gateway.js';

/**
 * Two listeners, of which one goes by what it has read of a bucket before: what a client was told is
 * done by one holds for its next request to the other.
 */

const HELD: Request['headers'] = { 'x-amz-object-lock-legal-hold': 'ON' };
const HOLD = '<LegalHold><Status>ON</Status></LegalHold>';
const LOCKS =
  '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>';
const CORS =
  '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>';
const ENABLED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const PREFLIGHT = { origin: 'https://a.example', 'access-control-request-method': 'GET' };

/** Goes by the first head of a container for `staleMs`, unless it is asked for the newest. */
class KeptHeads extends DecoratedBackend {
  override readonly capabilities: B.Capabilities;
  readonly #kept = new Map<string, { readonly askedAt: number; readonly head: B.ContainerHead }>();
  newest = 0;

  constructor(
    store: B.Backend,
    private readonly staleMs: number,
  ) {
    super(store);
    this.capabilities = { ...store.capabilities, containerStaleMs: staleMs };
  }

  override async headContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    options?: Pick<B.ReadOptions, 'newest'>,
  ): Promise<B.ContainerHead> {
    const kept = this.#kept.get(ref.container);
    if (options?.newest === true) this.newest += 1;
    else if (kept !== undefined && performance.now() - kept.askedAt < this.staleMs) {
      return kept.head;
    }
    const askedAt = performance.now();
    const head = await super.headContainer(context, ref, options);
    this.#kept.set(ref.container, { askedAt, head });
    return head;
  }
}

/** Longer than any test. */
const FOR_EVER = 3_600_000;

describe('s3: a listener that goes by what a bucket was a moment ago', () => {
  const directory = useTempFolderOnce('stale-heads');
  const store = useOnce(() => openEmbeddedStore({ directory: directory() }), 'close');
  let accounts = 0;

  const LOCKING: readonly Request[] = [
    { line: 'PUT /bucket?versioning', body: ENABLED },
    { line: 'PUT /bucket?object-lock', body: LOCKS },
  ];

  /** Changes by the one listener, after the other has read the bucket; and what that does then. */
  const ROWS: readonly (readonly [title: string, changes: readonly Request[], then: Request])[] = [
    [
      'takes a lock configuration for versions that another has enabled',
      LOCKING.slice(0, 1),
      { line: 'PUT /bucket?object-lock', body: LOCKS },
    ],
    ['tells the lock configuration', LOCKING, { line: 'GET /bucket?object-lock' }],
    [
      'takes an object with a legal hold',
      LOCKING,
      { line: 'PUT /bucket/held', body: 'held', headers: HELD },
    ],
    [
      'holds an object',
      [...LOCKING, { line: 'PUT /bucket/key', body: 'body' }],
      { line: 'PUT /bucket/key?legal-hold', body: HOLD },
    ],
    ['tells CORS rules', [{ line: 'PUT /bucket?cors', body: CORS }], { line: 'GET /bucket?cors' }],
    [
      'allows a preflight',
      [{ line: 'PUT /bucket?cors', body: CORS }],
      { line: 'OPTIONS /bucket/key', headers: PREFLIGHT },
    ],
  ];

  const open: Gateway[] = [];

  afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())));

  function gatewayOn(backend: B.Backend, account: string): Gateway {
    const gateway = new Gateway(backend, account);
    open.push(gateway);
    return gateway;
  }

  function listeners(staleMs: number) {
    const account = `AUTH_${++accounts}`;
    const heads = new KeptHeads(store(), staleMs);
    return { heads, first: gatewayOn(store(), account), other: gatewayOn(heads, account) };
  }

  async function done(gateway: Gateway, request: Request): Promise<Answer> {
    const answer = await gateway.send(request);
    expect(answer.status, `${request.line}: ${answer.text}`).to.be.within(200, 204);
    return answer;
  }

  for (const [title, changes, then] of ROWS) {
    it(title, async () => {
      const { first, other } = listeners(FOR_EVER);
      await done(first, { line: 'PUT /bucket' });
      await done(other, { line: 'HEAD /bucket' });
      for (const change of changes) await done(first, change);
      expect((await done(other, then)).status).to.equal(200);
    });
  }

  it('deletes exactly the version that it is told to, by no older state', async () => {
    const { first, other } = listeners(FOR_EVER);
    await done(first, { line: 'PUT /bucket' });
    await done(other, { line: 'HEAD /bucket' });
    await done(first, { line: 'PUT /bucket?versioning', body: ENABLED });
    const ids = [];
    for (const body of ['one', 'two']) {
      const { headers } = await done(first, { line: 'PUT /bucket/key', body });
      ids.push(headers.get('x-amz-version-id'));
    }
    await done(other, { line: `DELETE /bucket/key?versionId=${ids[1]}` });
    expect((await first.send({ line: 'GET /bucket/key' })).text).to.equal('one');
    await done(other, { line: 'DELETE /bucket/key?versionId=null' });
    expect((await first.send({ line: 'GET /bucket/key' })).text).to.equal('one');
  });

  it('sets an ACL on what the bucket is now, and gives it to the parts last', async () => {
    const { first, other } = listeners(FOR_EVER);
    await done(first, { line: 'PUT /bucket' });
    const { account } = first;
    const bucket = { account, container: 'bucket' };
    const parts = { account, container: 'bucket+segments' };
    const open = { read: 'a:reader', write: 'a:writer' };
    await store().updateContainer({ requestId: 'swift' }, bucket, { acl: open });
    await store().createContainer({ requestId: 'swift' }, parts, { acl: open });
    await done(other, { line: 'HEAD /bucket' });
    await store().updateContainer({ requestId: 'swift' }, bucket, {
      acl: { read: '', write: 'a:writer' },
    });
    await done(first, { line: 'PUT /bucket?versioning', body: ENABLED });
    await store().updateContainer({ requestId: 'swift' }, parts, { acl: open });
    const shared = { 'x-amz-acl': 'public-read' };
    await done(other, { line: 'PUT /bucket?acl', headers: shared });
    const acls = await Promise.all(
      [bucket, parts].map(
        async (ref) => (await store().headContainer({ requestId: 'x' }, ref)).acl,
      ),
    );
    expect(acls[0]?.read, 'what was revoked').not.to.contain('a:reader');
    expect(acls[0]?.write).to.contain('a:writer');
    expect(acls[1]?.read).to.equal('.r:*');
    expect(acls[1]?.write, 'the parts of versions').to.equal('');
  });

  it('writes a version once another has answered that versions are kept', async () => {
    const STALE_MS = 400;
    const { first, other } = listeners(STALE_MS);
    const another = gatewayOn(new KeptHeads(store(), STALE_MS), other.account);
    await done(first, { line: 'PUT /bucket' });
    await done(other, { line: 'PUT /bucket/key', body: 'one' });
    await done(another, { line: 'PUT /bucket?versioning', body: ENABLED });
    const { headers } = await done(other, { line: 'PUT /bucket/key', body: 'two' });
    expect(headers.get('x-amz-version-id')).to.match(/^[0-9a-f]{32}$/);
  });

  it('asks for nothing more where it refuses nothing', async () => {
    const { heads, first, other } = listeners(FOR_EVER);
    await done(first, { line: 'PUT /bucket' });
    const reads = ['GET /bucket/key', 'GET /bucket'];
    for (const line of ['PUT /bucket/key', ...reads, 'DELETE /bucket/key']) {
      await done(other, { line, body: 'body' });
    }
    expect(heads.newest).to.equal(0);
  });
});
