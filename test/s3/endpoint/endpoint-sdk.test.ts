import * as sdk from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { failureOf } from '../../support/failure.js';
import { parseEndpoint, refineByHeaders } from '../../../src/s3/endpoint/endpoint.js';
import { sdkClient, type SentRequest } from '../xml/sdk-exchange.js';

/**
 * The AWS SDK as oracle of the endpoint table: each of its commands is turned into the request that
 * it would send, and has to be read as the operation of its name.
 */

/** For any command: the SDK writes what the command has, and leaves the rest. */
const INPUT = {
  Bucket: 'bucket',
  Key: 'key',
  Id: 'id',
  UploadId: 'upload',
  CopySource: '/bucket/source',
  RenameSource: '/bucket/source',
  AnnotationName: 'annotation',
  Delete: { Objects: [{ Key: 'key' }] },
  SelectRequest: {},
  ObjectAttributes: ['ETag'],
};

const INPUT_OF: Readonly<Record<string, object>> = {
  PutObject: { Body: 'text' },
  UploadPart: { PartNumber: 1, Body: 'text' },
  PutObjectAnnotation: { Body: 'text' },
  UploadPartCopy: { PartNumber: 1 },
};

/** Not sent to the service, or not to be told from what is: the reason. */
const SKIPPED: Readonly<Record<string, string>> = {
  ListDirectoryBuckets: 'the request of ListBuckets, to a host of its own',
  WriteGetObjectResponse: 'sent to the host of an Object Lambda',
};

/** Ends the command where it would go on the wire. */
class Captured extends Error {
  constructor(readonly request: SentRequest) {
    super('captured');
  }
}

type Send = (command: unknown) => Promise<unknown>;
type Command = new (input: object) => unknown;

describe('s3 endpoint, with the AWS SDK as oracle', () => {
  const client = sdkClient((request) => Promise.reject(new Captured(request)));
  const send = client.send.bind(client) as unknown as Send;

  after(() => {
    client.destroy();
  });

  for (const [command, operation] of commands()) {
    const reason = SKIPPED[operation];
    if (reason !== undefined) {
      it.skip(`${operation}: ${reason}`);
      continue;
    }
    it(`reads the request of ${operation}`, async () => {
      const input = { ...INPUT, ...INPUT_OF[operation] };
      const { request } = await failureOf(send(new command(input)), Captured);
      const parsed = parseEndpoint(request.method, request.path, rawQuery(request.query));
      const endpoint = refineByHeaders(parsed, new Map(Object.entries(request.headers)));
      expect(endpoint.operation).to.equal(operation);
    });
  }

  it('sees the commands of the SDK', () => {
    expect(commands().length).to.be.greaterThan(100);
  });
});

function commands(): [Command, string][] {
  return Object.entries(sdk)
    .filter(([name, value]) => /^\w+Command$/.test(name) && typeof value === 'function')
    .map(([name, value]) => [value as Command, name.slice(0, -'Command'.length)]);
}

function rawQuery(query: SentRequest['query']): string {
  return Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`)
    .join('&');
}
