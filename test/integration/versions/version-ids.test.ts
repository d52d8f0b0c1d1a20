import { expect } from 'chai';
import type { S3Answer, S3Request } from '../../support/s3-client.js';
import { legalHold, lockedBucket, retention } from '../object-lock/bench.js';
import { at, deleteRequest, expectAnswer, UNKNOWN_ID, useVersionsBench } from './bench.js';

const TAGGING = '<Tagging><TagSet/></Tagging>';
const HOLD = legalHold('ON');
const RETENTION = retention('GOVERNANCE', '2099-01-01T00:00:00Z');
const RESTORE = '<RestoreRequest><Days>1</Days></RestoreRequest>';

/** SPEC.md 2.2: `null`, or 32 lower-case hexadecimal digits. */
const MALFORMED = [
  ...['', 'NULL', 'Null', 'null ', '0', 'undefined', '../index.json'],
  ...[UNKNOWN_ID.slice(1), `${UNKNOWN_ID}0`, UNKNOWN_ID.toUpperCase(), `g${UNKNOWN_ID.slice(1)}`],
];

/** A request's names of the object and version that it is for. */
interface Named {
  readonly path: string;
  readonly id: string;
  /** Open, for another key. */
  readonly upload: string;
}

interface Naming {
  readonly title: string;
  readonly make: (of: Named) => S3Request;
  /** Default 404, `NoSuchVersion`. */
  readonly unknown?: number;
}

function on(method: string, query = '', body = '', headers = {}): (of: Named) => S3Request {
  return ({ path, id }) => ({ method, path: at(`${path}${query}`, encodeURI(id)), body, headers });
}

const NAMINGS: readonly Naming[] = [
  { title: 'GET', make: on('GET') },
  { title: 'GET with a range', make: on('GET', '', '', { range: 'bytes=0-0' }) },
  { title: 'HEAD', make: on('HEAD') },
  { title: 'GET ?partNumber', make: on('GET', '?partNumber=1') },
  { title: 'HEAD ?partNumber', make: on('HEAD', '?partNumber=1') },
  { title: 'GET ?acl', make: on('GET', '?acl') },
  { title: 'PUT ?acl', make: on('PUT', '?acl', '', { 'x-amz-acl': 'private' }) },
  { title: 'GET ?tagging', make: on('GET', '?tagging') },
  { title: 'PUT ?tagging', make: on('PUT', '?tagging', TAGGING) },
  { title: 'DELETE ?tagging', make: on('DELETE', '?tagging') },
  { title: 'GET ?retention', make: on('GET', '?retention') },
  { title: 'PUT ?retention', make: on('PUT', '?retention', RETENTION) },
  { title: 'GET ?legal-hold', make: on('GET', '?legal-hold') },
  { title: 'PUT ?legal-hold', make: on('PUT', '?legal-hold', HOLD) },
  { title: 'POST ?restore', make: on('POST', '?restore', RESTORE) },
  {
    title: 'a copy',
    make: ({ path, id }) => copying('/ids/target', at(path, encodeURIComponent(id))),
  },
  {
    title: 'a copy into a part',
    make: ({ path, id, upload }) => copying(upload, at(path, encodeURIComponent(id))),
  },
  { title: 'DELETE', make: on('DELETE'), unknown: 204 },
];

function copying(path: string, source: string): S3Request {
  return { method: 'PUT', path, headers: { 'x-amz-copy-source': source } };
}

describe('version ids over the wire', () => {
  const bench = useVersionsBench();
  const bucket = '/ids';
  let upload: string;

  before(async () => {
    await lockedBucket(bench(), 'ids');
    await bench().put(`${bucket}/key`, 'body');
    const id = await bench().create(`${bucket}/parts`);
    upload = `${bucket}/parts?partNumber=1&uploadId=${id}`;
  });

  function send({ make }: Naming, key: string, id: string): Promise<S3Answer> {
    return bench().s3.send(make({ path: `${bucket}/${key}`, id, upload }));
  }

  for (const naming of NAMINGS) {
    it(`are checked by ${naming.title}`, async () => {
      const isHead = naming.title.startsWith('HEAD');
      for (const id of MALFORMED) {
        const answer = await send(naming, 'key', id);
        expectAnswer(answer, 400, isHead ? undefined : 'InvalidArgument');
        if (!isHead) expect(answer.text).to.contain('<ArgumentName>versionId</ArgumentName>');
      }
    });

    it(`are looked for by ${naming.title}`, async () => {
      const { unknown = 404 } = naming;
      const hasBody = unknown === 404 && !naming.title.startsWith('HEAD');
      for (const [key, id] of [
        ['key', UNKNOWN_ID],
        ['key', 'null'],
        ['absent', UNKNOWN_ID],
        ['absent', 'null'],
      ] as const) {
        const answer = await send(naming, key, id);
        expectAnswer(answer, unknown, hasBody ? 'NoSuchVersion' : undefined);
        if (hasBody) expect(answer.text).to.contain(`<Key>${key}</Key>`);
      }
    });

    it(`say nothing of a bucket that is not there to ${naming.title}`, async () => {
      const { make, title } = naming;
      const answer = await bench().s3.send(make({ path: '/absent/key', id: UNKNOWN_ID, upload }));
      expectAnswer(answer, 404, title.startsWith('HEAD') ? undefined : 'NoSuchBucket');
      expect(title.startsWith('HEAD') || answer.text.includes('>absent<')).to.be.true;
    });
  }

  it('of one key are nothing to another', async () => {
    const id = await bench().put(`${bucket}/other`, 'other');
    expectAnswer(await bench().s3.get(at(`${bucket}/key`, id)), 404, 'NoSuchVersion');
    expect((await bench().s3.delete(at(`${bucket}/key`, id))).status).to.equal(204);
    expect(await bench().read(at(`${bucket}/other`, id))).to.equal('other');
    expect((await bench().s3.delete(at(`${bucket}/other`, id))).status).to.equal(204);
  });

  it('have errors of their own in DeleteObjects', async () => {
    const ids = [...MALFORMED.filter((id) => id !== ''), UNKNOWN_ID, 'null'];
    const objects = ids.map((id) => `<Key>key</Key><VersionId>${id}</VersionId>`);
    const answer = await bench().s3.send(deleteRequest(bucket, objects));
    expect([...answer.text.matchAll(/<Code>(\w+)</g)].map(([, code]) => code)).to.deep.equal(
      ids.map((id) => (/^(null|[0-9a-f]{32})$/.test(id) ? 'NoSuchVersion' : 'InvalidArgument')),
    );
  });

  it('of objects without versions are null and nothing else', async () => {
    const plain = await bench().bucket('ids-plain');
    await bench().put(`${plain}/key`, 'plain');
    for (const method of ['GET', 'HEAD']) {
      const found = await bench().s3.send({ method, path: at(`${plain}/key`, 'null') });
      expect(found.status).to.equal(200);
      const missing = await bench().s3.send({ method, path: at(`${plain}/key`, UNKNOWN_ID) });
      expect(missing.status).to.equal(404);
    }
    const copied = await bench().copy(`${plain}/copy`, at(`${plain}/key`, 'null'));
    expectAnswer(copied, 200);
    expect(await bench().read(`${plain}/copy`)).to.equal('plain');
  });

  it('do not belong to what makes a version', async () => {
    const key = `${bucket}/key`;
    const part = upload.replace('?', '?versionId=null&');
    const ofUpload = part.replace('partNumber=1&', '');
    const source = { 'x-amz-copy-source': key };
    for (const request of [
      { method: 'PUT', path: at(key, 'null'), body: 'over' },
      { method: 'PUT', path: at(key, UNKNOWN_ID), body: 'over' },
      { method: 'PUT', path: at(key, 'null'), headers: source },
      { method: 'POST', path: at(`${key}?uploads`, 'null') },
      { method: 'PUT', path: part, body: 'part' },
      { method: 'PUT', path: part, headers: source },
      { method: 'GET', path: ofUpload },
      { method: 'POST', path: ofUpload, body: '<CompleteMultipartUpload/>' },
      { method: 'DELETE', path: ofUpload },
    ]) {
      const answer = await bench().s3.send(request);
      expectAnswer(answer, 400, 'InvalidArgument');
      expect(answer.text).to.contain('This operation does not accept a version-id.');
    }
  });

  it('that are refused have left everything as it was', async () => {
    expect(await bench().read(`${bucket}/key`)).to.equal('body');
    expect(await bench().versions(bucket), 'nothing else was stored').to.have.length(1);
  });
});
