import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { CONTEXT, inputOf } from '../../contract/fixture.js';
import { startApi, type RunningApi } from './api.js';
import { ApiClient, type Answer } from './client.js';

/**
 * A bucket `b`, which anybody may read and a member may write, and a container `x` that only its owner
 * may. In the bucket lie pointers of all kinds, written by the member wherever Swift lets a member.
 */

export const ACCOUNT = 'AUTH_test';
export const ROOT = `/v1/${ACCOUNT}`;
/** The content of all that lies behind a right of its own. */
export const SECRET = 'what is in the closed container';
const OPEN = 'what anybody may read';
/** The TempURL key of the bucket. */
export const KEY = 'key of the bucket';
const VERSION = '0123456789abcdef0123456789abcdef';
const PART = `k/${VERSION}/1`;
const hex = (key: string): string => Buffer.from(key).toString('hex');
export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

export class Pointers {
  private constructor(
    readonly api: RunningApi,
    private readonly clients: readonly [owner: ApiClient, member: ApiClient, nobody: ApiClient],
  ) {}

  static async open(): Promise<Pointers> {
    const api = await startApi();
    const pointers = new Pointers(api, [
      await ApiClient.login(api, 'test:tester', 'testing'),
      await ApiClient.login(api, 'test:tester2', 'testing2'),
      new ApiClient(api.origin, undefined),
    ]);
    await pointers.#prepare();
    return pointers;
  }

  async close(): Promise<void> {
    for (const client of this.clients) await client.close();
    await this.api.close();
    // A body that is cut where it leads to what its reader may not read.
    const unexpected = this.api.errors.filter((error) => !String(error).includes('leads to'));
    expect(unexpected).to.deep.equal([]);
  }

  async by(
    who: 0 | 1 | 2,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body = '',
  ): Promise<Answer> {
    const sent = method === 'GET' || method === 'HEAD' ? { headers } : { headers, body };
    return this.clients[who].send(method, `${ROOT}/${path}`, sent);
  }

  async put(who: 0 | 1, path: string, headers = {}, body = ''): Promise<void> {
    const { status, text } = await this.by(who, 'PUT', path, headers, body);
    expect(status, `${path}: ${text}`).to.equal(201);
  }

  async #prepare(): Promise<void> {
    const rules = {
      'x-container-read': '.r:*,test:tester2',
      'x-container-write': 'test:tester2',
      'x-container-meta-temp-url-key': KEY,
    };
    await this.put(0, 'b', rules);
    await this.put(0, 'x');
    for (const container of ['b+versions', 'b+segments']) {
      await this.api.backend.createContainer(CONTEXT, { account: ACCOUNT, container }, {});
    }
    await this.by(0, 'POST', '', { 'x-account-meta-a': 'b' });
    await this.put(0, 'x/s', {}, SECRET);
    for (const name of ['p/1', 'p/2']) await this.put(0, `x/${name}`, {}, SECRET);
    await this.put(1, 'b/o', {}, OPEN);
    for (const name of ['p/1', 'q/1']) await this.put(1, `b/${name}`, {}, OPEN);
    await this.#written('b+versions', `${hex('versioned')}/${VERSION}`, SECRET);
    await this.#written('b+versions', `${hex('other')}/${VERSION}`, SECRET);
    await this.#written('b+segments', PART, SECRET);
    await this.#linked('versioned', `${hex('versioned')}/${VERSION}`);
    const segments = [{ container: 'b+segments', object: PART, ...contentOf(SECRET) }];
    const input = { segments, etag: 'whole-1', contentType: 'a/b' };
    const large = { account: ACCOUNT, container: 'b', object: 'k' };
    await this.api.backend.putManifest(CONTEXT, large, input);

    for (const [name, target] of Object.entries({
      'l-open': 'b/o',
      'l-closed': 'x/s',
      'l-none': 'x/none',
      'l-nowhere': 'nowhere/s',
      'l-version': `b%2Bversions/${hex('other')}/${VERSION}`,
      'l-hidden': '.ringway-account/s',
      'l-d-closed': 'b/d-closed',
      'q/2': 'x/s',
    })) {
      await this.put(1, `b/${name}`, { 'x-symlink-target': target });
    }
    const pin = { 'x-symlink-target': 'x/s', 'x-symlink-target-etag': md5(SECRET) };
    await this.put(0, 'b/l-static', pin);
    for (const [name, prefix] of [
      ['d-closed', 'x/p/'],
      ['d-open', 'b/p/'],
      ['d-link', 'b/q/'],
    ]) {
      await this.put(1, `b/${name}`, { 'x-object-manifest': prefix });
    }
    const to = { destination: 'b/l-copied' };
    const copied = await this.by(1, 'COPY', 'b/versioned?symlink=get', to);
    expect(copied.status).to.equal(201);
    const manifest = (...paths: string[]) => JSON.stringify(paths.map((path) => ({ path })));
    await this.put(0, 'b/s-closed?multipart-manifest=put', {}, manifest('/x/s'));
    await this.put(0, 'b/s-late?multipart-manifest=put', {}, manifest('/b/o', '/x/s'));
  }

  async #written(container: string, object: string, body: string): Promise<void> {
    const ref = { account: ACCOUNT, container, object };
    await this.api.backend.putObject(CONTEXT, ref, inputOf(body));
  }

  async #linked(key: string, object: string): Promise<void> {
    const target = { container: 'b+versions', object };
    const ref = { account: ACCOUNT, container: 'b', object: key };
    const input = { target, ...contentOf(SECRET), contentType: 'a/b' };
    await this.api.backend.putLink(CONTEXT, ref, input);
  }
}

const contentOf = (body: string) => ({ size: Buffer.byteLength(body), etag: md5(body) });

/** Neither bytes nor size nor ETag are in what is refused. */
export function expectNothingTold({ text, headers }: Answer): void {
  const told = text + JSON.stringify(headers);
  for (const secret of [SECRET.slice(0, 10), md5(SECRET), md5(md5(SECRET))]) {
    expect(told).to.not.include(secret);
  }
}
