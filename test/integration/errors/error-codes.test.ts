import { expect } from 'chai';
import { ERROR_CODES, errorEntry } from '../../../src/s3/errors.js';
import { readXml, type S3Answer } from '../../support/s3-client.js';
import { useUploadBench } from '../multipart-bench.js';
import { ANSWER_ROWS, prepareAnswers } from './answer-rows.js';
import { CONTRACT_ROWS } from './contract-rows.js';
import { OTHER_ROWS } from './other-rows.js';
import { titleOf, type ErrorRow } from './rows.js';
import { prepareVersions, VERSION_CONFIG, VERSION_ROWS } from './version-rows.js';
import { BODY, BUCKET, OBJECT, resourceOf, Wire } from './wire.js';
import { expectAnswer } from '../versions/bench.js';

/** Codes of the table that no row here provokes, with where they are. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  InsufficientStorage: 'test/integration/full-device.test.ts',
  MissingContentLength: 'test/s3/auth/payload.test.ts',
  NotS3Request: 'nowhere: the reference answers it, see docs/s3-errors.md',
  OperationAborted: 'test/s3/object/copy-object.test.ts',
  ServiceUnavailable: 'test/s3/bucket/delete-objects.test.ts',
  SlowDown: 'test/integration/overload/limits.test.ts',
};

const ROWS = [...CONTRACT_ROWS, ...VERSION_ROWS, ...OTHER_ROWS];

describe('error codes over the wire', () => {
  const bench = useUploadBench(VERSION_CONFIG);
  const ids = new Set<string>();
  let wire: Wire;
  let startedAt: number;

  before(async () => {
    startedAt = Math.floor(Date.now() / 1000);
    wire = new Wire(bench);
    expect((await bench.s3.put(OBJECT, BODY)).status).to.equal(200);
    await prepareVersions(bench.service, bench.s3);
    await prepareAnswers(bench.s3);
  });

  after(async () => {
    expect((await bench.s3.get(OBJECT)).text, 'nothing has changed it').to.equal(BODY);
    const listed = await bench.s3.get(BUCKET);
    expect(listed.text.match(/<Key>/g), 'nothing else was stored').to.have.length(1);
  });

  for (const row of ROWS) {
    it(`answers ${row.status} ${row.code} to ${titleOf(row)}`, async () => {
      const request = 'make' in row.request ? await row.request.make(wire) : row.request;
      const answer = await bench.s3.send(request);
      expectAnswer(answer, row.status, request.method === 'HEAD' ? undefined : row.code);
      expect(answer.headers).to.include(row.headers ?? {});
      expectRequestId(answer);
      if (request.method === 'HEAD') expect(answer.text).to.equal('');
      else expectDocument(row, request.path, answer);
    });
  }

  for (const row of ANSWER_ROWS) {
    it(`answers ${row.status} ${row.code ?? ''} to ${titleOf(row)}`, async () => {
      const request = 'make' in row.request ? await row.request.make(wire) : row.request;
      const answer = await bench.s3.send(request);
      expectAnswer(answer, row.status, row.code);
      expect(answer.headers).to.include(row.headers ?? {});
      for (const name of row.lacks ?? []) expect(answer.headers).not.to.have.property(name);
      for (const pattern of row.text ?? []) expect(answer.text).to.match(pattern);
      for (const pattern of row.notText ?? []) expect(answer.text).not.to.match(pattern);
    });
  }

  it('are all provoked, but for those that are named', () => {
    const provoked = new Set<string>(ROWS.map(({ code }) => code));
    const missing = ERROR_CODES.filter((code) => !provoked.has(code) && !(code in ELSEWHERE));
    expect(missing).to.deep.equal([]);
    expect(Object.keys(ELSEWHERE).filter((code) => provoked.has(code))).to.deep.equal([]);
  });

  /** `tx<21 hex>-<10 hex unix time>`, another for each request: SPEC.md 7.1. */
  function expectRequestId({ headers }: S3Answer): void {
    const id = headers['x-amz-request-id'] ?? '';
    expect(id).to.match(/^tx[0-9a-f]{21}-[0-9a-f]{10}$/);
    const time = parseInt(id.slice(-10), 16);
    expect(time).to.be.within(startedAt, Math.ceil(Date.now() / 1000));
    expect(ids.has(id), 'an id that was given before').to.equal(false);
    ids.add(id);
  }
});

function expectDocument(row: ErrorRow, path: string, { headers, text }: S3Answer): void {
  expect(headers['content-type']).to.equal('application/xml');
  expect(headers['content-length']).to.equal(String(Buffer.byteLength(text)));
  expect(text).to.match(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<Error><Code>/);
  const { Error: document } = readXml(text) as { Error: Record<string, string> };
  expect(document.RequestId).to.equal(headers['x-amz-request-id']);
  expect(document.HostId).to.equal(headers['x-amz-id-2']);
  if (row.message === undefined) expect(document.Message).to.equal(errorEntry(row.code).message);
  else expect(document.Message).to.match(row.message);
  const details = { ...(row.isOfResource === false ? {} : resourceOf(path)), ...row.details };
  expect(document).to.include(details);
  for (const name of ['BucketName', 'Key']) {
    if (!(name in details)) expect(document).not.to.have.property(name);
  }
}
