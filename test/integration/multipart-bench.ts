import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { S3TestClient, type S3Address, type S3Answer } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { serviceOfSuites } from '../support/shared-service.js';
import { signHeaders } from '../support/sigv4.js';

export const MIB = 1024 * 1024;

export interface NamedPart {
  readonly number: number;
  /** Quoted. */
  readonly etag: string;
}

/** Bytes that no other seed gives. */
export function patternBytes(size: number, seed: number): Buffer {
  const block = createHash('sha512').update(String(seed)).digest();
  return Buffer.alloc(size, block);
}

/** Parts 1, 2, 3 … */
export function partList(etags: readonly string[]): NamedPart[] {
  return etags.map((etag, index) => ({ number: index + 1, etag }));
}

export function completeDocument(parts: readonly NamedPart[]): string {
  const list = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
}

/** The SDK as a client of a service, which the caller destroys. */
export function sdkOf({ endpoint, accessKey, secretKey }: S3Address): S3Client {
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
}

/** The steps of uploads as plain requests. */
export abstract class UploadSteps {
  abstract readonly s3: S3TestClient;

  /** @returns the upload id */
  async create(path: string, headers: Record<string, string> = {}): Promise<string> {
    const answer = await this.s3.send({ method: 'POST', path: `${path}?uploads`, headers });
    const uploadId = /<UploadId>([0-9a-f]{32})<\/UploadId>/.exec(answer.text)?.[1];
    if (uploadId === undefined) throw new Error(`no upload: ${answer.text}`);
    return uploadId;
  }

  tryPart(
    path: string,
    uploadId: string,
    number: number | string,
    body: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<S3Answer> {
    return this.s3.put(`${path}?partNumber=${number}&uploadId=${uploadId}`, body, headers);
  }

  /** @returns the ETag, quoted */
  async part(path: string, uploadId: string, number: number, body: Uint8Array): Promise<string> {
    return etagOf(await this.tryPart(path, uploadId, number, body));
  }

  /** With its SHA-256 as checksum. @returns the ETag, quoted */
  async checkedPart(
    path: string,
    uploadId: string,
    number: number,
    body: Uint8Array,
  ): Promise<string> {
    const value = createHash('sha256').update(body).digest('base64');
    const headers = { 'x-amz-checksum-sha256': value };
    const answer = await this.tryPart(path, uploadId, number, body, headers);
    expect(answer.headers['x-amz-checksum-sha256']).to.equal(value);
    return etagOf(answer);
  }

  complete(
    path: string,
    uploadId: string,
    parts: readonly NamedPart[] | string,
    headers: Record<string, string> = {},
  ): Promise<S3Answer> {
    const body = typeof parts === 'string' ? parts : completeDocument(parts);
    return this.s3.send({ method: 'POST', path: `${path}?uploadId=${uploadId}`, body, headers });
  }

  /** An open upload with one part. */
  async smallUpload(
    path: string,
    body: string,
  ): Promise<{ uploadId: string; parts: readonly NamedPart[] }> {
    const uploadId = await this.create(path);
    const etag = await this.part(path, uploadId, 1, Buffer.from(body));
    return { uploadId, parts: partList([etag]) };
  }
}

/**
 * A bench for the current suite.
 *
 * @param config - of a service of its own; by default it is one that other suites use, too
 */
export function useUploadBench(config?: Readonly<Record<string, unknown>>): UploadBench {
  const bench = new UploadBench(config);
  useOnce(
    () => bench.start(),
    () => bench.stop(),
  );
  return bench;
}

/** A service with the bucket `parts`. */
export class UploadBench extends UploadSteps {
  #service: Service | undefined;
  #s3: S3TestClient | undefined;

  constructor(private readonly config?: Readonly<Record<string, unknown>>) {
    super();
  }

  async start(): Promise<void> {
    const { config } = this;
    this.#service = await (config === undefined ? serviceOfSuites() : startService({ config }));
    this.#s3 = new S3TestClient(this.#service);
    await this.#s3.put('/parts');
  }

  async stop(): Promise<void> {
    await this.s3.close();
    expect(await this.service.stop()).to.equal(0);
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('the service has not started');
    return this.#service;
  }

  get s3(): S3TestClient {
    if (this.#s3 === undefined) throw new Error('the service has not started');
    return this.#s3;
  }

  get endpoint(): string {
    return this.service.endpoint;
  }

  /** Sends a part but for its last byte, and that when it is told to. */
  slowPart(path: string, uploadId: string, number: number, body: Buffer): SlowPart {
    return new SlowPart(this.service, `${path}?partNumber=${number}&uploadId=${uploadId}`, body);
  }
}

/** An upload that is not finished yet. */
export class SlowPart {
  readonly #request: ClientRequest;
  readonly #answer: Promise<IncomingMessage>;
  /** All but the last byte has left this process, and the service has looked at the request. */
  readonly begun: Promise<void>;

  constructor(
    service: Service,
    path: string,
    private readonly body: Buffer,
  ) {
    const { host } = new URL(service.endpoint);
    const [rawPath = '', rawQuery = ''] = path.split('?');
    const headers = signHeaders(
      { ...service, region: 'us-east-1' },
      { method: 'PUT', rawPath, rawQuery, headers: { host } },
      new Date(),
      'UNSIGNED-PAYLOAD',
    );
    const length = { 'content-length': String(body.length), expect: '100-continue' };
    this.#request = request(service.endpoint + path, {
      method: 'PUT',
      headers: { ...headers, ...length },
    });
    this.#answer = once(this.#request, 'response').then(([answer]) => answer as IncomingMessage);
    this.begun = this.#begin();
  }

  async #begin(): Promise<void> {
    this.#request.flushHeaders();
    await once(this.#request, 'continue');
    await new Promise((resolve) => this.#request.write(this.body.subarray(0, -1), resolve));
  }

  async finish(): Promise<{ statusCode: number; text: string }> {
    this.#request.end(this.body.subarray(-1));
    const answer = await this.#answer;
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
    return { statusCode: answer.statusCode ?? 0, text };
  }
}

function etagOf(answer: S3Answer): string {
  if (answer.status !== 200) throw new Error(`no part: ${answer.status} ${answer.text}`);
  return answer.headers.etag ?? '';
}
