import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';

/** The AWS SDK, and what it says to a server that a test plays: nothing leaves the process. */
export class SdkExchange {
  /** Of the last request. */
  body = Buffer.alloc(0);
  headers: Readonly<Record<string, string>> = {};
  /** Of the next response. */
  answer = '';
  answerHeaders: Readonly<Record<string, string>> = {};

  readonly client = sdkClient((request) => {
    this.body = Buffer.from((request.body ?? '') as string);
    this.headers = request.headers;
    const body = Readable.from([Buffer.from(this.answer)]);
    return Promise.resolve({ response: { statusCode: 200, headers: this.answerHeaders, body } });
  });
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The AWS SDK with something else in the place of its connection. */
export function sdkClient(handle: (request: SentRequest) => Promise<unknown>): S3Client {
  return new S3Client({
    endpoint: 'http://localhost',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    requestHandler: { handle } as never,
  });
}
