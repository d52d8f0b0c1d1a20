import { expect } from 'chai';
import { S3Dialect } from '../../bench/dialects/s3.js';
import { BodyCheck } from '../../bench/load/body-check.js';
import type { WireRequest } from '../../bench/load/wire.js';
import type { RowContext } from '../../bench/rows/row.js';
import { LIST_FOLDERS } from '../../bench/rows/fixtures.js';
import { listFolders } from '../../bench/rows/workloads.js';

const FOLDERS = Array.from(
  { length: LIST_FOLDERS },
  (_, i) => `list/${String(i).padStart(3, '0')}/`,
);

function page(folders: readonly string[], token: string): Buffer {
  const prefixes = folders.map(
    (name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`,
  );
  return Buffer.from(
    `<L>${prefixes.join('')}<NextContinuationToken>${token}</NextContinuationToken></L>`,
  );
}

/** The measurement of a server whose pages, in the order of asking, are these. */
async function measured(pages: readonly Buffer[]): Promise<WireRequest> {
  const left = [...pages];
  const dialect = new S3Dialect({
    ...{ kind: 's3', endpoint: 'http://127.0.0.1:1', accessKey: 'a', secretKey: 's' },
    ...{ region: 'us-east-1', lacks: [] },
  });
  const context: RowContext = {
    ...{ dialect, bucket: 'b', ownPrefix: '', slice: 0, operations: 1, listKeys: 1000 },
    run: () => Promise.resolve(),
    fetch: () => Promise.resolve(left.shift() ?? Buffer.alloc(0)),
  };
  const operation = (await listFolders(context)).next(0);
  if (operation === undefined || typeof operation === 'function') throw new Error('no request');
  return operation;
}

function problemOf(request: WireRequest, body: Buffer): string | undefined {
  const check = new BodyCheck(request.expect);
  check.take(body);
  return check.finish();
}

describe('bench: pages of listings', () => {
  it('have to be the same byte for byte where they were twice', async () => {
    const request = await measured([page(FOLDERS, 't'), page(FOLDERS, 't')]);
    expect(problemOf(request, page(FOLDERS, 't'))).to.equal(undefined);
    expect(problemOf(request, page(FOLDERS, 'u'))).to.equal('the body is not what was stored');
  });

  it('are looked into where each has a token of its own', async () => {
    const request = await measured([page(FOLDERS, 't1'), page(FOLDERS, 't2')]);
    expect(problemOf(request, page(FOLDERS, 't3'))).to.equal(undefined);
    expect(problemOf(request, page(FOLDERS.slice(1), 't4'))).to.match(
      /shows 99 names, expected 100/,
    );
    expect(problemOf(request, page(FOLDERS.toReversed(), 't5'))).to.match(/list\/000\/ among them/);
  });

  it('are refused where they are wrong to begin with', async () => {
    let message = '';
    await measured([page(FOLDERS.slice(1), 't')]).catch(
      (error: unknown) => (message = String(error)),
    );
    expect(message).to.match(/shows 99 names/);
  });
});
