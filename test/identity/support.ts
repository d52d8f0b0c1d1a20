import { IdentityCredentials } from '../../src/identity/identity-credentials.js';
import { Keystone } from '../../src/identity/keystone.js';
import { ServiceTokens } from '../../src/identity/service-token.js';
import { SignatureService } from '../../src/identity/signature-service.js';
import { createAuthenticator, type Authenticator } from '../../src/s3/auth/authenticate.js';
import type { RequestHead } from '../../src/http/exchange.js';
import { S3Error } from '../../src/s3/errors.js';
import { INLINE } from '../s3/auth/support.js';
import { SERVICE_PASSWORD, type FakeKeystone } from '../support/fake-keystone.js';
import { requestHead } from '../support/requests.js';
import { sha256Hex, signHeaders } from '../support/sigv4.js';

export interface BenchOptions {
  readonly cacheMs?: number;
  readonly staleMs?: number;
  readonly timeoutMs?: number;
  readonly requestsMax?: number;
  /** Default: the service's own; null: it asks without a token. */
  readonly password?: string | null;
}

/** A listener's parts for an identity service, on a clock of its own. */
export interface IdentityBench {
  readonly authenticator: Authenticator;
  readonly credentials: IdentityCredentials;
  readonly keystone: Keystone;
  readonly tokens: ServiceTokens | undefined;
  /** The reported problems, `undefined` for well again. */
  readonly told: (string | undefined)[];
  /** Where users of requests were found, in order. */
  readonly found: string[];
  /** Milliseconds. */
  advance(ms: number): void;
}

export function identityBench(fake: FakeKeystone, options: BenchOptions = {}): IdentityBench {
  const { cacheMs = 60_000, staleMs = 3_600_000 } = options;
  const { timeoutMs = 5_000, requestsMax = 16 } = options;
  const { password = SERVICE_PASSWORD } = options;
  let time = 0;
  const now = (): number => time;
  const told: (string | undefined)[] = [];
  const keystone = new Keystone({ url: fake.url, timeoutMs, requestsMax });
  const user = { name: 'ringway', project: 'service', domain: 'Default' };
  const tokens =
    password === null ? undefined : new ServiceTokens(keystone, { ...user, password }, now);
  const service = new SignatureService({
    keystone,
    tokens,
    mapping: { accountPrefix: 'AUTH_', ownerRoles: ['admin', 'member'] },
    onSecretsRefused: () => told.push('no secrets'),
    now,
  });
  const onHealth = (problem: string | undefined): void => void told.push(problem);
  const found: string[] = [];
  const credentials = new IdentityCredentials({
    service,
    cacheMs,
    staleMs,
    onLookup: (source) => void found.push(source),
    onHealth,
    now,
  });
  const authenticator = createAuthenticator({ credentials, region: 'us-east-1', digests: INLINE });
  const advance = (ms: number): void => {
    time += ms;
  };
  return { authenticator, credentials, keystone, tokens, told, found, advance };
}

/** The code of the refusal, or `accepted`. */
export async function outcome(bench: IdentityBench, request: RequestHead): Promise<string> {
  try {
    await bench.authenticator.authenticate(request);
    return 'accepted';
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

export interface Signer {
  readonly access: string;
  readonly secret: string;
}

/** A request that was signed just now, for another key each time. */
export function signedGet({ access, secret }: Signer, key = 'key'): RequestHead {
  return signed({ access, secret }, 'GET', key, {}, sha256Hex(''));
}

/** One whose chunks are signed. */
export function signedPut(signer: Signer): RequestHead {
  const headers = { 'x-amz-decoded-content-length': '5' };
  return signed(signer, 'PUT', 'key', headers, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD');
}

function signed(
  { access: accessKey, secret: secretKey }: Signer,
  method: string,
  key: string,
  headers: Readonly<Record<string, string>>,
  contentSha256: string,
): RequestHead {
  const url = `/bucket/${key}`;
  const given = { host: 'gateway.example:8000', ...headers };
  const identity = { accessKey, secretKey, region: 'us-east-1' };
  const request = { method, rawPath: url, rawQuery: '', headers: given };
  return requestHead(method, url, signHeaders(identity, request, new Date(), contentSha256));
}
