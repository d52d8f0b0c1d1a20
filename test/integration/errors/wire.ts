import type { S3Request } from '../../support/s3-client.js';
import { presignQueryV2, signHeadersV2 } from '../../support/sigv2.js';
import {
  presignQuery,
  seedOf,
  sha256Hex,
  signedChunks,
  Signer,
  signHeaders,
  type RequestToSign,
  type SigningIdentity,
} from '../../support/sigv4.js';
import type { UploadBench } from '../multipart-bench.js';

/** The bucket of all rows, and its one object, whose name shows what is escaped. */
export const BUCKET = '/parts';
export const OBJECT = `${BUCKET}/a%20%3Ckey%3E`;
export const BODY = 'as it was';

const STREAMING = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';

interface Chunking {
  /** `name:value` */
  readonly trailer?: string;
  /** Text that is replaced on the way by another of the same length. */
  readonly tamper?: readonly [from: string, to: string];
  /** The announced length; default: that of the chunks. */
  readonly bytes?: number;
}

/** Makes requests for rows that the tests' client would not sign so. */
export class Wire {
  readonly #identity: SigningIdentity;
  readonly #host: string;

  constructor(readonly bench: UploadBench) {
    this.#identity = { ...bench.service, region: 'us-east-1' };
    this.#host = new URL(bench.endpoint).host;
  }

  /** A GET of the object, signed `minutes` ago. */
  signedAgo(minutes: number): S3Request {
    const request = this.#getObject();
    const headers = signHeaders(this.#identity, request, minutesAgo(minutes), sha256Hex(''));
    return { method: 'GET', path: OBJECT, headers, signed: false };
  }

  /** Version 2: dated `minutes` ago. */
  signedAgoV2(minutes: number): S3Request {
    const request = this.#getObject({ date: minutesAgo(minutes).toUTCString() });
    const headers = signHeadersV2(this.#identity, request);
    return { method: 'GET', path: OBJECT, headers, signed: false };
  }

  /** A URL for a GET of the object, made `minutes` ago for one minute. */
  presignedAgo(minutes: number): S3Request {
    const request = this.#getObject();
    const query = presignQuery(this.#identity, request, minutesAgo(minutes), 60);
    return { method: 'GET', path: `${OBJECT}?${query}`, signed: false };
  }

  /** Version 2: it expired `minutes` ago. */
  expiredAgoV2(minutes: number): S3Request {
    const request = this.#getObject();
    const query = presignQueryV2(this.#identity, request, minutesAgo(minutes));
    return { method: 'GET', path: `${OBJECT}?${query}`, signed: false };
  }

  /** A PUT of the object in signed chunks. */
  inChunks(chunks: readonly Buffer[], { trailer, tamper, bytes }: Chunking = {}): S3Request {
    const date = new Date();
    const size = bytes ?? chunks.reduce((sum, { length }) => sum + length, 0);
    const headers = {
      host: this.#host,
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(size),
      ...(trailer === undefined ? {} : { 'x-amz-trailer': trailer.split(':')[0] ?? '' }),
    };
    const request = { method: 'PUT', rawPath: OBJECT, headers };
    const mode = trailer === undefined ? STREAMING : `${STREAMING}-TRAILER`;
    const signed = signHeaders(this.#identity, request, date, mode);
    const body = signedChunks(
      new Signer(this.#identity, date),
      seedOf(signed.authorization ?? ''),
      chunks,
      trailer === undefined ? {} : { trailers: [trailer] },
    );
    if (tamper !== undefined) body.write(tamper[1], body.indexOf(tamper[0]), 'latin1');
    return { method: 'PUT', path: OBJECT, headers: signed, body, signed: false };
  }

  /** A PUT of another object whose headers are not those that were signed. */
  putOther(
    sent: Readonly<Record<string, string>>,
    signed: Readonly<Record<string, string>>,
  ): S3Request {
    const path = '/answers/cut';
    const request = { method: 'PUT', rawPath: path, headers: { host: this.#host, ...signed } };
    const headers = signHeaders(this.#identity, request, new Date(), sha256Hex(''));
    return { method: 'PUT', path, headers: { ...headers, ...sent }, signed: false };
  }

  #getObject(headers: Readonly<Record<string, string>> = {}): RequestToSign {
    return { method: 'GET', rawPath: OBJECT, headers: { host: this.#host, ...headers } };
  }
}

function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000);
}

/** The elements of the document about the resource: SPEC.md 7.1. */
export function resourceOf(path: string): Record<string, string> {
  const [, bucket = '', ...key] = (path.split('?')[0] ?? '').split('/');
  const name = decodeURIComponent(key.join('/'));
  if (bucket === '') return {};
  return name === '' ? { BucketName: bucket } : { BucketName: bucket, Key: name };
}
