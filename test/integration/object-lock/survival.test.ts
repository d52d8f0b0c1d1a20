import { expect } from 'chai';
import type { S3Request } from '../../support/s3-client.js';
import { janitorOnce } from '../janitor-once.js';
import { partList } from '../multipart-bench.js';
import { at, deleteRequest, expectAnswer, versioning } from '../versions/bench.js';
import {
  BYPASS,
  inDays,
  legalHold,
  lockConfiguration,
  lockedBucket,
  lockHeaders,
  retention,
  useVersionsBench,
} from './bench.js';

const BODY = 'nobody takes this away';

/** Names under which a client may try to get at what the service keeps of a version. */
const FORGED: Readonly<Record<string, string>> = {
  'x-object-sysmeta-s3-object-lock-retention': 'GOVERNANCE;2000-01-01T00:00:00.000Z',
  'x-object-sysmeta-s3api-s3-object-lock-legal-hold': 'OFF',
  'x-amz-meta-s3-object-lock-retention': 'GOVERNANCE;2000-01-01T00:00:00.000Z',
  'x-amz-meta-s3-object-lock-legal-hold': 'OFF',
  'x-amz-meta-x-object-sysmeta-s3-object-lock-legal-hold': 'OFF',
  'x-object-meta-s3-object-lock-legal-hold': 'OFF',
  'x-object-transient-sysmeta-s3-object-lock-legal-hold': 'OFF',
  'x-container-sysmeta-s3-versioning': '',
  'x-container-sysmeta-s3-object-lock': '',
  'x-backend-timestamp': '9999999999.00000',
  'x-timestamp': '9999999999.00000',
  'x-delete-at': '946684800',
  'x-delete-after': '1',
  'x-object-manifest': 'else/where',
};

const RULES =
  '<LifecycleConfiguration><Rule><ID>all</ID><Filter/><Status>Enabled</Status>' +
  '<Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration>' +
  '<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration>' +
  '</Rule></LifecycleConfiguration>';

/** Issue: locked data survives everything that a client can send. */
describe('locked data over the wire', () => {
  const bench = useVersionsBench({ config: { janitor_interval_ms: 0 } });
  const bucket = '/locked';
  const path = `${bucket}/key`;
  let until: string;
  let locked: string;
  let held: string;

  before(async () => {
    until = inDays(30);
    await lockedBucket(bench(), 'locked');
    held = await bench().put(path, `${BODY} held`, { 'x-amz-object-lock-legal-hold': 'ON' });
    locked = await bench().put(path, BODY, lockHeaders('COMPLIANCE', until));
  });

  afterEach(async () => {
    const got = await bench().s3.get(at(path, locked));
    expect([got.status, got.text]).to.deep.equal([200, BODY]);
    expect(got.headers).to.include({
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': until,
    });
    const other = await bench().s3.get(at(path, held));
    expect([other.text, other.headers['x-amz-object-lock-legal-hold']]).to.deep.equal([
      `${BODY} held`,
      'ON',
    ]);
    expect(await bench().history(bucket, 'key')).to.include.members([`Version ${held}`]);
  });

  function deleteDocument(...ids: readonly string[]): S3Request {
    const objects = ids.map((id) => {
      const version = id === '' ? '' : `<VersionId>${id}</VersionId>`;
      return `<Key>key</Key>${version}`;
    });
    return deleteRequest(bucket, objects, BYPASS);
  }

  it('survives overwriting and delete markers', async () => {
    for (const headers of [{}, FORGED]) await bench().put(path, 'over', headers);
    await bench().mark(path);
    const marked = await bench().s3.delete(path, { ...FORGED, ...BYPASS });
    expect(marked.headers['x-amz-delete-marker']).to.equal('true');
    await bench().s3.send(deleteDocument(''));
  });

  it('survives deletion, with whatever headers', async () => {
    for (const headers of [{}, BYPASS, FORGED, { ...FORGED, ...BYPASS }]) {
      for (const id of [locked, held]) {
        expectAnswer(await bench().s3.delete(at(path, id), headers), 403, 'AccessDenied');
      }
    }
    const { text } = await bench().s3.send(deleteDocument(locked, held));
    expect(text.match(/<Code>AccessDenied</g)).to.have.length(2);
  });

  it('survives whatever is asked of its locks', async () => {
    for (const document of [
      retention('COMPLIANCE', inDays(1)),
      retention('GOVERNANCE', inDays(60)),
      '<Retention/>',
      retention('COMPLIANCE', '2000-01-01T00:00:00Z'),
    ]) {
      const target = at(`${path}?retention`, locked);
      const refused = await bench().s3.put(target, document, { ...FORGED, ...BYPASS });
      expect(refused.status).to.be.oneOf([400, 403]);
    }
    const off = await bench().s3.put(at(`${path}?legal-hold`, locked), legalHold('OFF'), FORGED);
    expect(off.status).to.equal(200);
    expectAnswer(await bench().s3.delete(at(path, locked), BYPASS), 403, 'AccessDenied');
  });

  it('survives a copy onto itself, which makes another version', async () => {
    for (const directive of ['REPLACE', 'COPY']) {
      const headers = { 'x-amz-metadata-directive': directive, ...FORGED };
      const copied = await bench().copy(path, at(path, locked), headers);
      expectAnswer(copied, 200);
      expect(copied.headers['x-amz-version-id']).to.not.equal(locked);
    }
  });

  it('survives changes of its tags and ACL, which are not locked', async () => {
    const tags =
      '<Tagging><TagSet><Tag><Key>s3-object-lock-legal-hold</Key><Value>OFF</Value></Tag></TagSet></Tagging>';
    expectAnswer(await bench().s3.put(at(`${path}?tagging`, locked), tags, FORGED), 200);
    const open = { 'x-amz-acl': 'public-read-write', ...FORGED };
    expectAnswer(await bench().s3.put(at(`${path}?acl`, locked), '', open), 200);
    expect((await bench().s3.delete(at(`${path}?tagging`, locked), FORGED)).status).to.equal(204);
  });

  it('survives POST in every form', async () => {
    for (const query of ['', '?restore', '?select', '?uploads', '?delete', '?retention']) {
      const body = '<RestoreRequest><Days>1</Days></RestoreRequest>';
      const headers = { 'x-http-method-override': 'DELETE', ...FORGED };
      const target = at(`${path}${query}`, locked);
      const answer = await bench().s3.send({ method: 'POST', path: target, body, headers });
      expect(answer.status, query).to.be.within(400, 501);
    }
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const form = { method: 'POST', path: bucket, headers, body: '--x--' };
    const posted = await bench().s3.send(form);
    expect(posted.status).to.be.within(400, 501);
  });

  it('survives requests for the containers behind the bucket', async () => {
    const hex = Buffer.from('key').toString('hex');
    for (const container of ['locked+versions', 'locked%2Bversions', 'locked%2bversions']) {
      for (const name of ['', `/${hex}/${locked}`, `/${hex}/index.json`]) {
        for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
          const answer = await bench().s3.send({ method, path: `/${container}${name}` });
          expect(answer.status, `${method} /${container}${name}`).to.equal(400);
        }
      }
    }
    const source = `locked+versions/${hex}/${locked}`;
    for (const named of [source, encodeURIComponent(source)]) {
      expectAnswer(await bench().copy(`${bucket}/copy`, named), 400, 'InvalidArgument');
    }
  });

  it('survives what is asked of its bucket', async () => {
    expectAnswer(await bench().s3.delete(bucket, FORGED), 409, 'BucketNotEmpty');
    const suspended = await bench().s3.put(`${bucket}?versioning`, versioning('Suspended'), FORGED);
    expectAnswer(suspended, 409, 'InvalidBucketState');
    expect((await bench().s3.delete(`${bucket}?object-lock`)).status).to.equal(405);
    const rule = lockConfiguration('<Mode>GOVERNANCE</Mode><Days>1</Days>');
    expectAnswer(await bench().s3.put(`${bucket}?object-lock`, rule, FORGED), 200);
    expectAnswer(await bench().s3.put(bucket, '', FORGED), 409, 'BucketAlreadyOwnedByYou');
    expectAnswer(await bench().s3.delete(at(path, locked), BYPASS), 403, 'AccessDenied');
    expect((await bench().s3.get(`${bucket}?versioning`)).text).to.contain('>Enabled<');
  });

  it('survives a multipart upload of its key, and the abortion of one', async () => {
    const id = await bench().create(path, FORGED);
    const { headers } = await bench().tryPart(path, id, 1, Buffer.from('part'), FORGED);
    expectAnswer(await bench().complete(path, id, partList([headers.etag ?? ''])), 200);
    await bench().s3.delete(`${path}?uploadId=${id}`);
  });

  it('survives lifecycle rules', async () => {
    expectAnswer(await bench().s3.put(`${bucket}?lifecycle`, RULES), 200);
    await janitorOnce(bench().service);
    expect(await bench().read(at(path, locked))).to.equal(BODY);
  });
});
