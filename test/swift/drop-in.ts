import { expect } from 'chai';
import { readXml, type S3Answer, type S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import type { SwiftLab } from '../support/swift-lab.js';
import { s3Of } from './support.js';

/** Ringway and Swift's s3api in front of one cluster, and Swift's own API beside them. */
export class DropIn {
  private constructor(
    readonly lab: SwiftLab,
    private readonly service: Service,
    readonly ours: S3TestClient,
    readonly theirs: S3TestClient,
    /** The same with `s3_acl`, which looks at ACLs rather than at who owns the account. */
    readonly theirsWithAcls: S3TestClient,
    private readonly storage: { readonly url: string; readonly token: string },
  ) {}

  static async open(): Promise<DropIn> {
    const lab = await sharedSwiftLab();
    const config = { ...lab.gatewayKeys(), segment_grace_ms: 0, janitor_interval_ms: 0 };
    const service = await startService({ config, listeners: 1 });
    const { key: secretKey } = lab.user('test:tester');
    const login = await fetch(lab.state.authUrl, {
      headers: { 'x-auth-user': 'test:tester', 'x-auth-key': secretKey },
    });
    const header = (name: string): string => login.headers.get(name) ?? '';
    return new DropIn(
      lab,
      service,
      s3Of(lab, service.endpoint),
      s3Of(lab, lab.state.s3api),
      s3Of(lab, lab.state.s3apiAcl),
      { url: header('x-storage-url'), token: header('x-auth-token') },
    );
  }

  /** Ringway's, for programs. */
  get endpoint(): string {
    return this.service.endpoint;
  }

  /** A request to Swift itself; `path` is encoded, e.g. `bucket/key`. */
  swift(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Response> {
    const { url, token } = this.storage;
    return fetch(`${url}/${path}`, {
      method,
      headers: { ...headers, 'x-auth-token': token },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Of Swift itself; `path` is encoded. */
  urlOf(path: string): string {
    return `${this.storage.url}/${path}`;
  }

  async names(container: string): Promise<string[]> {
    const answer = await this.swift('GET', `${encodeURIComponent(container)}?format=json`);
    if (answer.status !== 200) return [];
    return ((await answer.json()) as { readonly name: string }[]).map(({ name }) => name);
  }

  async close(): Promise<void> {
    await Promise.all([this.ours.close(), this.theirs.close(), this.theirsWithAcls.close()]);
    await this.service.stop();
  }
}

/** Headers that tell what an object is; times are compared apart. */
const TOLD =
  /^(?:etag|expires|cache-control|content-(?:length|type|disposition|encoding|language)|x-amz-meta-.*)$/;

export function toldOf({ status, headers }: S3Answer): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => TOLD.test(name));
  return { status: String(status), ...Object.fromEntries(kept) };
}

/** Swift rounds times of modification up to a second, S3 cuts them off. */
export function expectSameTime(one: S3Answer, other: S3Answer): void {
  const time = ({ headers }: S3Answer): number => Date.parse(headers['last-modified'] ?? '');
  expect(Math.abs(time(one) - time(other))).to.be.at.most(1000);
}

export interface Listed {
  readonly Key: string;
  readonly Size: string;
  readonly ETag: string;
}

export async function listed(s3: S3TestClient, bucket: string): Promise<Listed[]> {
  const { text } = await s3.get(`/${bucket}?list-type=2`);
  const document = readXml(text) as { ListBucketResult: { Contents?: Listed[] } };
  return (document.ListBucketResult.Contents ?? []).map(({ Key, Size, ETag }) => ({
    Key,
    Size,
    ETag: ETag.replaceAll('&quot;', '"'),
  }));
}

export const PART_BYTES = 5 * 1024 * 1024;

export async function initiate(
  s3: S3TestClient,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await s3.send({ method: 'POST', path: `${path}?uploads`, headers });
  const id = /<UploadId>([^<]+)</.exec(answer.text)?.[1];
  if (id === undefined) throw new Error(`${answer.status} ${answer.text}`);
  return id;
}

export async function uploadPart(
  s3: S3TestClient,
  path: string,
  uploadId: string,
  partNumber: number,
  body: Buffer,
): Promise<string> {
  const query = `partNumber=${partNumber}&uploadId=${encodeURIComponent(uploadId)}`;
  const answer = await s3.put(`${path}?${query}`, body);
  expect(answer.status, answer.text).to.equal(200);
  return answer.headers.etag ?? '';
}

export async function complete(
  s3: S3TestClient,
  path: string,
  uploadId: string,
  etags: readonly string[],
): Promise<S3Answer> {
  const parts = etags.map(
    (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  const query = `uploadId=${encodeURIComponent(uploadId)}`;
  const answer = await s3.send({ method: 'POST', path: `${path}?${query}`, body });
  expect(answer.code, answer.text).to.equal(undefined);
  return answer;
}
