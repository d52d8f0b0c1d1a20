import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { useOnce, type Fixture } from '../../support/fixture.js';
import { S3TestClient, type S3Answer, type S3Request } from '../../support/s3-client.js';
import {
  startService,
  stopCleanly,
  type Service,
  type ServiceOptions,
} from '../../support/service.js';
import { serviceOfSuites } from '../../support/shared-service.js';
import { UploadSteps } from '../multipart-bench.js';

/** A service whose buckets keep versions, and the words that its suites are written in. */

export const VERSION_ID = /^[0-9a-f]{32}$/;
/** Well-formed, and nobody's. */
export const UNKNOWN_ID = '0123456789abcdef0123456789abcdef';

export type Status = 'Enabled' | 'Suspended';
type Headers = Record<string, string>;

/** An entry of ListObjectVersions. */
export interface Listed {
  readonly kind: 'Version' | 'DeleteMarker';
  /** As in the document. */
  readonly key: string;
  readonly id: string;
  readonly latest: boolean;
  readonly size: number;
  /** Unquoted; empty of a delete marker. */
  readonly etag: string;
  readonly lastModified: string;
  /** The entry's XML. */
  readonly xml: string;
}

export function versioning(status: string): string {
  return `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
}

/** Of a body in one piece, quoted. */
export function etagOf(body: string): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

/** `?versionId=`, behind whatever query the path has. */
export function at(path: string, id: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}versionId=${id}`;
}

export function expectAnswer(answer: S3Answer, status: number, code?: string): void {
  expect([answer.status, answer.code], answer.text).to.deep.equal([status, code]);
}

/**
 * DeleteObjects, with the digest that it has to have.
 *
 * @param objects - what stands in each `<Object>`
 */
export function deleteRequest(
  bucket: string,
  objects: readonly string[],
  more: Headers = {},
  volume?: 'quiet',
): S3Request {
  const list = objects.map((inner) => `<Object>${inner}</Object>`).join('');
  const body = `<Delete>${volume === 'quiet' ? '<Quiet>true</Quiet>' : ''}${list}</Delete>`;
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64'), ...more };
  return { method: 'POST', path: `${bucket}?delete`, body, headers };
}

/** Requests by one client that a suite is full of. */
export class VersionSteps extends UploadSteps {
  constructor(readonly s3: S3TestClient) {
    super();
  }

  /** A new bucket, in that state. @returns its path */
  async bucket(name: string, state?: Status): Promise<string> {
    expectAnswer(await this.s3.put(`/${name}`), 200);
    if (state !== undefined) await this.become(`/${name}`, state);
    return `/${name}`;
  }

  async become(bucket: string, state: Status): Promise<void> {
    expectAnswer(await this.s3.put(`${bucket}?versioning`, versioning(state)), 200);
  }

  /** @returns the version id */
  async put(path: string, body: string | Uint8Array, headers: Headers = {}): Promise<string> {
    const answer = await this.s3.put(path, body, headers);
    expectAnswer(answer, 200);
    return answer.headers['x-amz-version-id'] ?? '';
  }

  /** @returns the delete marker's id */
  async mark(path: string): Promise<string> {
    const { status, headers } = await this.s3.delete(path);
    expect([status, headers['x-amz-delete-marker']]).to.deep.equal([204, 'true']);
    return headers['x-amz-version-id'] ?? '';
  }

  copy(path: string, source: string, headers: Headers = {}): Promise<S3Answer> {
    return this.s3.put(path, '', { 'x-amz-copy-source': source, ...headers });
  }

  /** @returns the body */
  async read(path: string): Promise<string> {
    const answer = await this.s3.get(path);
    expect(answer.status, answer.text).to.equal(200);
    return answer.text;
  }

  /** @returns the entries of one page */
  async versions(bucket: string, query = ''): Promise<Listed[]> {
    const answer = await this.s3.get(`${bucket}?versions${query}`);
    expectAnswer(answer, 200);
    return listedVersions(answer.text);
  }

  /** The only versions of a key, newest first, each as {@link history} tells it. */
  async expectHistory(bucket: string, key: string, ...versions: string[]): Promise<void> {
    expect(await this.history(bucket, key)).to.deep.equal(versions);
  }

  /** Kind, id and whether it is the latest, of each version of a key. */
  async history(bucket: string, key: string): Promise<string[]> {
    const listed = await this.versions(bucket, `&prefix=${encodeURIComponent(key)}`);
    return listed.map(({ kind, id, latest }) => `${kind} ${id}${latest ? ' latest' : ''}`);
  }
}

export function listedVersions(text: string): Listed[] {
  const entries = text.matchAll(/<(Version|DeleteMarker)>([^]*?)<\/\1>/g);
  return [...entries].map(([, kind, xml = '']) => ({
    kind: kind as Listed['kind'],
    key: textOf(xml, 'Key'),
    id: textOf(xml, 'VersionId'),
    latest: textOf(xml, 'IsLatest') === 'true',
    size: Number(textOf(xml, 'Size')),
    etag: textOf(xml, 'ETag').replaceAll('&quot;', ''),
    lastModified: textOf(xml, 'LastModified'),
    xml,
  }));
}

/** The text of an element; empty when there is none. */
export function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '';
}

/** Clients of their own connections that send at the same time. */
export function useRacers(service: () => Service, count: number) {
  const racers = useOnce(
    () => Array.from({ length: count }, () => new S3TestClient(service())),
    (opened) => Promise.all(opened.map((racer) => racer.close())),
  );
  return (send: (racer: S3TestClient, number: number) => Promise<S3Answer>) =>
    Promise.all(racers().map(send));
}

export class VersionsBench extends VersionSteps {
  constructor(readonly service: Service) {
    super(new S3TestClient(service));
  }

  async close(): Promise<void> {
    await this.s3.close();
    await stopCleanly(this.service);
  }
}

/**
 * A bench for the current suite.
 *
 * @param options - of a service of its own; by default one that other suites use, too
 */
export function useVersionsBench(options?: ServiceOptions): Fixture<VersionsBench> {
  return useOnce(
    async () =>
      new VersionsBench(await (options === undefined ? serviceOfSuites() : startService(options))),
    'close',
  );
}
