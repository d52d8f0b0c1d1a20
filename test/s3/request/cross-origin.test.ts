import { expect } from 'chai';
import type {
  CallContext,
  Capabilities,
  ContainerHead,
  ContainerRef,
  ReadOptions,
} from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { configurationPatch } from '../../../src/s3/bucket/configuration.js';
import { CrossOrigin } from '../../../src/s3/request/cors.js';
import { parseEndpoint } from '../../../src/s3/endpoint/endpoint.js';
import { S3Error } from '../../../src/s3/errors.js';
import { requestHead } from '../../support/requests.js';

const CALL = { requestId: 'cors' };
const ORIGIN = 'https://app.example';

const AWAY = 'away';

type Container = string | null;

/** Containers by `account/name`: the allowed origin, null for no rules, or {@link AWAY}. */
function crossOrigin(
  containers: Record<string, Container>,
  accounts: readonly string[],
  isKeeping = false,
) {
  const kept = new Map<string, Container>();
  const backend = {
    capabilities: { containerStaleMs: 1000 } as Capabilities,
    headContainer: (
      _: CallContext,
      { account, container }: ContainerRef,
      options?: ReadOptions,
    ) => {
      const name = `${account}/${container}`;
      const now = containers[name];
      const found = options?.newest === true || now === undefined ? now : (kept.get(name) ?? now);
      if (isKeeping && now !== undefined) kept.set(name, found ?? null);
      if (found === undefined) return Promise.reject(new BackendError('NoSuchContainer', ''));
      if (found === AWAY) return Promise.reject(new BackendError('Unavailable', ''));
      return Promise.resolve({ systemMetadata: metadataOf(found) } as ContainerHead);
    },
  };
  return new CrossOrigin(backend, { claimedAccounts: () => Promise.resolve(accounts) }, 4);
}

function metadataOf(origin: string | null): Record<string, string> {
  if (origin === null) return {};
  const rule = `<CORSRule><AllowedOrigin>${origin}</AllowedOrigin><AllowedMethod>PUT</AllowedMethod></CORSRule>`;
  const document = `<CORSConfiguration>${rule}</CORSConfiguration>`;
  return configurationPatch('cors', document) as Record<string, string>;
}

const PREFLIGHT = requestHead('OPTIONS', '/bucket/key', {
  origin: ORIGIN,
  'access-control-request-method': 'PUT',
});

async function preflight(cors: CrossOrigin): Promise<string> {
  try {
    const endpoint = parseEndpoint('OPTIONS', '/bucket/key', '');
    const answer = await cors.preflight(CALL, PREFLIGHT, endpoint);
    return `${answer.status} ${new Map(answer.headers).get('Access-Control-Allow-Origin') ?? ''}`;
  } catch (error) {
    if (error instanceof S3Error) return `${error.code} ${error.message.slice(14, 32)}`;
    if (error instanceof BackendError) return error.code;
    throw error;
  }
}

describe('cross-origin requests', () => {
  const TABLE: readonly (readonly [
    what: string,
    containers: Record<string, Container>,
    accounts: readonly string[],
    preflight: string,
    rules: number,
  ])[] = [
    ['one account', { 'a/bucket': ORIGIN }, ['a'], `200 ${ORIGIN}`, 1],
    ['the second of two', { 'a/bucket': null, 'b/bucket': ORIGIN }, ['a', 'b'], `200 ${ORIGIN}`, 1],
    ['both of two', { 'a/bucket': 'x', 'b/bucket': ORIGIN }, ['a', 'b'], `200 ${ORIGIN}`, 2],
    ['another origin', { 'a/bucket': 'x' }, ['a'], 'AccessForbidden This CORS request ', 1],
    ['no rules', { 'a/bucket': null }, ['a'], 'AccessForbidden CORS is not enable', 0],
    ['rules elsewhere', { 'a/other': ORIGIN }, ['a'], 'AccessForbidden Bucket not found', 0],
    ['no account', {}, [], 'AccessForbidden Bucket not found', 0],
    ['a store that is away', { 'a/bucket': AWAY }, ['a'], 'Unavailable', 0],
  ];

  for (const [what, containers, accounts, answer, rules] of TABLE) {
    it(`${what}: ${answer}`, async () => {
      const cors = crossOrigin(containers, accounts);
      expect(await preflight(cors)).to.equal(answer);
      const found = await cors.find(CALL, PREFLIGHT, 'bucket');
      expect(found?.rules.length ?? 0).to.equal(rules);
    });
  }

  it('allows what rules say by now that another listener has just set', async () => {
    const containers: Record<string, Container> = { 'a/bucket': 'x' };
    const cors = crossOrigin(containers, ['a'], true);
    expect(await preflight(cors)).to.equal('AccessForbidden This CORS request ');
    containers['a/bucket'] = ORIGIN;
    expect(await preflight(cors)).to.equal(`200 ${ORIGIN}`);
  });

  it('goes by what it read last while the store is away, until the bucket is gone', async () => {
    const containers: Record<string, Container> = { 'a/bucket': ORIGIN };
    const cors = crossOrigin(containers, ['a']);
    const rules = async () => (await cors.find(CALL, PREFLIGHT, 'bucket'))?.rules.length;
    expect(await rules()).to.equal(1);
    containers['a/bucket'] = AWAY;
    expect(await rules()).to.equal(1);
    containers['a/bucket'] = null;
    expect(await rules()).to.equal(undefined);
    containers['a/bucket'] = AWAY;
    expect(await rules(), 'rules that were removed').to.equal(undefined);
  });

  it('parses a document once, and again when it has changed', () => {
    const cors = crossOrigin({}, []);
    const first = cors.of(refOf('bucket'), metadataOf('x'));
    expect(cors.of(refOf('bucket'), metadataOf('x'))).to.equal(first);
    const [rule] = cors.of(refOf('bucket'), metadataOf('y'))?.rules ?? [];
    expect(rule?.allowedOrigins).to.deep.equal(['y']);
  });

  it('keeps the rules of a few buckets only', () => {
    const cors = crossOrigin({}, []);
    const away = new BackendError('Unavailable', '');
    for (let i = 0; i < 10; i++) cors.of(refOf(`b${i}`), metadataOf('x'));
    const kept = Array.from({ length: 10 }, (_, i) => cors.last(refOf(`b${i}`), away));
    expect(kept.filter((rules) => rules !== undefined)).to.have.length.within(2, 4);
    expect(kept[9]).to.not.equal(undefined);
  });

  it('lets no origin in by a damaged document', () => {
    const damaged = { ...metadataOf('x') };
    for (const name of Object.keys(damaged)) damaged[name] = 'PENPUlM+';
    expect(crossOrigin({}, []).of(refOf('bucket'), damaged)).to.equal(undefined);
  });
});

function refOf(container: string): ContainerRef {
  return { account: 'a', container };
}
