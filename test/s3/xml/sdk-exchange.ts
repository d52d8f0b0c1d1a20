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

  readonly client = new S3Client({
    endpoint: 'http://localhost',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    requestHandler: {
      handle: (request: SentRequest) => {
        this.body = Buffer.from((request.body ?? '') as string);
        this.headers = request.headers;
        const body = Readable.from([Buffer.from(this.answer)]);
        return Promise.resolve({
          response: { statusCode: 200, headers: this.answerHeaders, body },
        });
      },
    } as never,
  });
}

interface SentRequest {
  readonly body?: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}
