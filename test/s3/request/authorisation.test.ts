import { expect } from 'chai';
import type {
  Backend,
  ContainerHead,
  ObjectHead,
  ReadOptions,
} from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { authorise } from '../../../src/s3/request/authorisation.js';
import type { Role } from '../../../src/s3/auth/principal.js';
import { parseEndpoint, refineByHeaders } from '../../../src/s3/endpoint/endpoint.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import { operationFacts } from '../../../src/s3/operations.js';
import { groupGrant, userGrant, type Grant } from '../../../src/s3/rules/acl/acl.js';
import { bucketAclInput } from '../../../src/s3/rules/acl/bucket-acl.js';
import { ACL_METADATA, encodeAcl } from '../../../src/s3/rules/acl/stored.js';
import { S3Error } from '../../../src/s3/errors.js';
import { headers } from '../support.js';

/** The store as a decision sees it: two buckets and the objects in them. */
interface World {
  readonly bucket?: { readonly grants?: readonly Grant[]; readonly read?: string; write?: string };
  readonly object?: readonly Grant[] | 'absent' | 'unowned';
  readonly bucketAbsent?: boolean;
  /** The bucket as it is by now, where a listener may not know it yet. */
  readonly newest?: World['bucket'];
}

const OWNER = 'a:owner';
const MEMBER = 'a:member';

/** A request's context, and the calls it makes. */
function contextOf(role: Role, method: string, url: string, world: World, more = {}) {
  const [path = '', query = ''] = url.split('?');
  const calls: string[] = [];
  const head = (name: string, options?: ReadOptions): Promise<ContainerHead> => {
    calls.push(`headContainer ${name}`);
    const bucket = (options?.newest === true ? world.newest : undefined) ?? world.bucket;
    if (world.bucketAbsent === true) return Promise.reject(gone('NoSuchContainer'));
    const { grants, read = '', write = '' } = bucket ?? {};
    const stored = grants && bucketAclInput({ owner: OWNER, grants }, { read: '', write: '' });
    const systemMetadata = stored?.systemMetadata ?? {};
    return Promise.resolve({ systemMetadata, acl: { read, write } } as ContainerHead);
  };
  const backend = {
    capabilities: { containerStaleMs: world.newest === undefined ? 0 : 1000 },
    headContainer: (_: unknown, { container }, options) => head(container, options),
    headObject: (_: unknown, { container, object }) => {
      calls.push(`headObject ${container}/${object}`);
      const grants = world.object ?? 'unowned';
      if (grants === 'absent') return Promise.reject(gone('NoSuchObject'));
      const acl = grants === 'unowned' ? undefined : encodeAcl({ owner: OWNER, grants });
      const systemMetadata = acl === undefined ? {} : { [ACL_METADATA]: acl };
      return Promise.resolve({ systemMetadata } as ObjectHead);
    },
  } as Pick<Backend, 'capabilities' | 'headContainer' | 'headObject'>;
  const given = headers(more);
  const endpoint = refineByHeaders(parseEndpoint(method, path, query), given);
  let memo: Promise<ContainerHead> | undefined;
  const user = role === 'anonymous' ? undefined : `a:${role}`;
  const context = {
    principal: { accessKey: '', account: 'AUTH_a', role, user },
    endpoint,
    headers: given,
    services: { backend },
    containerHead: (options?: ReadOptions) => {
      if (options?.newest === true) memo = undefined;
      return (memo ??= head(endpoint.bucket, options));
    },
  } as unknown as RequestContext;
  return { context, calls };
}

function gone(code: BackendError['code']): BackendError {
  return new BackendError(code, 'gone');
}

async function outcomeOf(context: RequestContext): Promise<string> {
  try {
    await authorise(context, operationFacts(context.endpoint.operation));
    return 'allowed';
  } catch (error) {
    if (error instanceof S3Error || error instanceof BackendError) return error.code;
    throw error;
  }
}

const READ = groupGrant('AllUsers', 'READ');
const AUTHENTICATED = groupGrant('AuthenticatedUsers', 'READ');
const B = 'headContainer bucket';
const O = 'headObject bucket/key';

const granted = (...grants: readonly Grant[]): World => ({ bucket: { grants } });
const LISTABLE = granted(userGrant(MEMBER, 'READ'));
const BY_NOW: World = { newest: { grants: [userGrant(MEMBER, 'READ')] } };
const OPEN: World = { bucket: { read: '.r:*' } };

type Row = readonly [
  what: string,
  request: string,
  world: World,
  outcome: string,
  calls: readonly string[],
];

const OWNERS: readonly Row[] = [
  ['the buckets', 'GET /', {}, 'allowed', []],
  ['an absent object', 'GET /bucket/key', { object: 'absent' }, 'allowed', []],
  ['an absent bucket', 'PUT /bucket?cors', { bucketAbsent: true }, 'allowed', []],
];

const MEMBERS: readonly Row[] = [
  ['the buckets', 'GET /', {}, 'AccessDenied', []],
  ['a new bucket', 'PUT /bucket', {}, 'AccessDenied', []],

  ['a private bucket', 'GET /bucket', {}, 'AccessDenied', [B]],
  ['an absent bucket', 'GET /bucket', { bucketAbsent: true }, 'NoSuchContainer', [B]],
  ['one that is granted', 'GET /bucket', LISTABLE, 'allowed', [B]],
  ['one that is granted by now', 'GET /bucket', BY_NOW, 'allowed', [B, B]],
  ['one that is not', 'PUT /bucket/key', BY_NOW, 'AccessDenied', [B, B]],
  [
    'one that another is granted',
    'GET /bucket',
    granted(userGrant('a:x', 'READ')),
    'AccessDenied',
    [B],
  ],
  ['where Swift lets them write', 'PUT /bucket/key', { bucket: { write: MEMBER } }, 'allowed', [B]],
  [
    'where Swift lets them read only',
    'PUT /bucket/key',
    { bucket: { read: MEMBER } },
    'AccessDenied',
    [B],
  ],
  [
    'the configuration',
    'PUT /bucket?cors',
    granted(userGrant(MEMBER, 'FULL_CONTROL')),
    'AccessDenied',
    [B],
  ],
  ['the tags', 'GET /bucket?tagging', granted(), 'AccessDenied', [B]],

  ['an object for users', 'HEAD /bucket/key', { object: [AUTHENTICATED] }, 'allowed', [B, O]],
  [
    'an absent one that they may list',
    'GET /bucket/key',
    { ...LISTABLE, object: 'absent' },
    'NoSuchKey',
    [B, O],
  ],
  ['a private one that they may list', 'GET /bucket/key', LISTABLE, 'AccessDenied', [B, O]],
];

const ANYBODY: readonly Row[] = [
  ['the buckets', 'GET /', {}, 'AccessDenied', []],

  ['an absent bucket', 'GET /bucket', { bucketAbsent: true }, 'AccessDenied', [B]],
  [
    'a container that Swift lists',
    'GET /bucket',
    { bucket: { read: '.r:*,.rlistings' } },
    'allowed',
    [B],
  ],
  ['one that it does not list', 'GET /bucket', OPEN, 'AccessDenied', [B]],
  ['one that Swift has closed again', 'GET /bucket', granted(READ), 'AccessDenied', [B]],

  ['an object of an open container', 'GET /bucket/key', OPEN, 'allowed', [B]],
  ['one that is not there', 'GET /bucket/key', { ...OPEN, object: 'absent' }, 'allowed', [B]],
  ['a public object', 'GET /bucket/key', { object: [READ] }, 'allowed', [B, O]],
  ['one for users', 'HEAD /bucket/key', { object: [AUTHENTICATED] }, 'AccessDenied', [B, O]],
  ['one without an ACL', 'GET /bucket/key', {}, 'AccessDenied', [B, O]],
  ['an absent one', 'GET /bucket/key', { object: 'absent' }, 'AccessDenied', [B, O]],
  ["a public object's ACL", 'GET /bucket/key?acl', { object: [READ] }, 'AccessDenied', [B, O]],
  [
    'an ACL that may be read',
    'GET /bucket/key?acl',
    { object: [groupGrant('AllUsers', 'READ_ACP')] },
    'allowed',
    [B, O],
  ],
  ["an open container's ACL of an object", 'GET /bucket/key?acl', OPEN, 'AccessDenied', [B, O]],
];

describe('authorise', () => {
  for (const [role, rows] of [
    ['owner', OWNERS],
    ['member', MEMBERS],
    ['anonymous', ANYBODY],
  ] as const) {
    for (const [what, request, world, outcome, expected] of rows) {
      it(`${role}, ${what}: ${request} is ${outcome} after ${expected.length} looks`, async () => {
        const [method = '', url = ''] = request.split(' ');
        const { context, calls } = contextOf(role, method, url, world);
        expect(await outcomeOf(context)).to.equal(outcome);
        expect(calls).to.deep.equal(expected);
      });
    }
  }

  it('makes no promise for an owner', () => {
    const { context } = contextOf('owner', 'PUT', '/bucket/key', {});
    expect(authorise(context, operationFacts('PutObject'))).to.equal(undefined);
  });

  it("lets the object's own user change its ACL, and no other user", async () => {
    const world: World = { object: [userGrant(OWNER, 'FULL_CONTROL')] };
    const { context } = contextOf('member', 'PUT', '/bucket/key?acl', world);
    expect(await outcomeOf(context)).to.equal('AccessDenied');
    const own = { ...context, principal: { ...context.principal, user: OWNER } };
    expect(await outcomeOf(own)).to.equal('allowed');
  });

  it('looks at the page that refers to a container of some pages', async () => {
    const world: World = { bucket: { read: '.r:.example.com' } };
    for (const [referer, outcome] of [
      ['https://www.example.com/page', 'allowed'],
      ['https://example.org/?.example.com', 'AccessDenied'],
      ['no URL', 'AccessDenied'],
    ] as const) {
      const { context } = contextOf('anonymous', 'GET', '/bucket/key', world, { referer });
      expect(await outcomeOf(context), referer).to.equal(outcome);
    }
  });

  describe('of a copy', () => {
    const WRITE = { grants: [userGrant(MEMBER, 'WRITE')] };
    const copy = (source: string, world: World) =>
      contextOf('member', 'PUT', '/bucket/key', world, { 'x-amz-copy-source': source });

    it('asks for the target and for the source', async () => {
      const { context, calls } = copy('/other/source', { bucket: WRITE, object: [AUTHENTICATED] });
      expect(await outcomeOf(context)).to.equal('allowed');
      expect(calls).to.deep.equal([B, 'headContainer other', 'headObject other/source']);
    });

    it('looks once at a bucket that is both', async () => {
      const { context, calls } = copy('/bucket/source', { bucket: WRITE, object: [AUTHENTICATED] });
      expect(await outcomeOf(context)).to.equal('allowed');
      expect(calls).to.deep.equal([B, 'headObject bucket/source']);
    });

    it('refuses a source that may not be read', async () => {
      const { context } = copy('/other/source', { bucket: WRITE });
      expect(await outcomeOf(context)).to.equal('AccessDenied');
    });

    it('refuses a target that may not be written, and does not look at the source', async () => {
      const { context, calls } = copy('/other/source', { object: [AUTHENTICATED] });
      expect(await outcomeOf(context)).to.equal('AccessDenied');
      expect(calls).to.deep.equal([B]);
    });
  });
});
