import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import type { S3Answer } from '../../support/s3-client.js';
import { ALL_USERS, ANNA_ID, OWNER_ID, policy, useAclBench } from '../acl-users.js';
import {
  legalHold,
  lockConfiguration,
  lockedBucket,
  lockHeaders,
  retention,
} from '../object-lock/bench.js';
import { at, deleteRequest, expectAnswer, UNKNOWN_ID, versioning, VersionSteps } from './bench.js';

const UNTIL = '2099-01-01T00:00:00Z';

/** Who may do what with versions, who owns nothing. */
describe('access to versions over the wire', () => {
  const bench = useAclBench();
  const steps = useOnce(() => new VersionSteps(bench().owner));

  function unsigned(method: string, path: string): Promise<S3Answer> {
    return bench().owner.send({ method, path, signed: false });
  }

  describe('reading', () => {
    const bucket = '/reading';
    let open: string;
    let closed: string;
    let marker: string;

    before(async () => {
      await steps().bucket('reading', 'Enabled');
      open = await steps().put(`${bucket}/key`, 'open', { 'x-amz-acl': 'public-read' });
      closed = await steps().put(`${bucket}/key`, 'closed');
      marker = await steps().mark(`${bucket}/key`);
    });

    it('goes by the ACL of the version', async () => {
      for (const method of ['GET', 'HEAD']) {
        expect((await unsigned(method, at(`${bucket}/key`, open))).status).to.equal(200);
        expect((await unsigned(method, at(`${bucket}/key`, closed))).status).to.equal(403);
        expect(
          (await bench().ben.send({ method, path: at(`${bucket}/key`, open) })).status,
        ).to.equal(200);
      }
      expect((await unsigned('GET', at(`${bucket}/key`, open))).text).to.equal('open');
      expectAnswer(await bench().ben.get(at(`${bucket}/key`, closed)), 403, 'AccessDenied');
    });

    it('tells no other user what there is', async () => {
      for (const path of [
        `${bucket}/key`,
        at(`${bucket}/key`, marker),
        at(`${bucket}/key`, UNKNOWN_ID),
        at(`${bucket}/absent`, 'null'),
      ]) {
        const answer = await unsigned('GET', path);
        expectAnswer(answer, 403, 'AccessDenied');
        expect(answer.headers).to.not.have.any.keys('x-amz-delete-marker', 'x-amz-version-id');
        expectAnswer(await bench().anna.get(path), 403, 'AccessDenied');
      }
      expectAnswer(await unsigned('GET', `${bucket}?versions`), 403, 'AccessDenied');
      expectAnswer(await bench().anna.get(`${bucket}?versions`), 403, 'AccessDenied');
    });

    it('is opened and closed for one version', async () => {
      const grant = policy(OWNER_ID, [[ANNA_ID, 'READ']]);
      expectAnswer(await bench().owner.put(at(`${bucket}/key?acl`, closed), grant), 200);
      expect((await bench().anna.get(at(`${bucket}/key`, closed))).text).to.equal('closed');
      expectAnswer(await bench().ben.get(at(`${bucket}/key`, closed)), 403, 'AccessDenied');
      const shut = { 'x-amz-acl': 'private' };
      expectAnswer(await bench().owner.put(at(`${bucket}/key?acl`, open), '', shut), 200);
      expectAnswer(await unsigned('GET', at(`${bucket}/key`, open)), 403, 'AccessDenied');
    });

    it('of the source of a copy goes by the version that is named', async () => {
      await steps().bucket('target');
      const writable = policy(OWNER_ID, [[ANNA_ID, 'WRITE']]);
      expectAnswer(await bench().owner.put('/target?acl', writable), 200);
      const anna = new VersionSteps(bench().anna);
      expectAnswer(await anna.copy('/target/copy', at(`${bucket}/key`, closed)), 200);
      expectAnswer(await anna.copy('/target/copy', at(`${bucket}/key`, open)), 403, 'AccessDenied');
    });

    it('of a listing goes by the bucket', async () => {
      const grant = policy(OWNER_ID, [[ANNA_ID, 'READ']]);
      await steps().bucket('listed', 'Enabled');
      await steps().put('/listed/key', 'body');
      expectAnswer(await bench().owner.put('/listed?acl', grant), 200);
      const listed = await new VersionSteps(bench().anna).versions('/listed');
      expect(listed.map(({ key }) => key)).to.deep.equal(['key']);
      expectAnswer(await bench().ben.get('/listed?versions'), 403, 'AccessDenied');
      expectAnswer(await bench().anna.get(at('/listed/key', UNKNOWN_ID)), 404, 'NoSuchVersion');
    });

    it('stays within the account', async () => {
      expectAnswer(await bench().stranger.get(`${bucket}?versions`), 404, 'NoSuchBucket');
      expectAnswer(await bench().stranger.get(at(`${bucket}/key`, open)), 404, 'NoSuchBucket');
    });
  });

  describe('with WRITE alone', () => {
    const bucket = '/writing';
    let version: string;

    before(async () => {
      await lockedBucket(steps(), 'writing');
      version = await steps().put(`${bucket}/key`, 'kept');
      const grant = policy(OWNER_ID, [
        [ANNA_ID, 'WRITE'],
        [ANNA_ID, 'READ'],
      ]);
      expectAnswer(await bench().owner.put(`${bucket}?acl`, grant), 200);
    });

    after(async () => {
      expect(await steps().read(at(`${bucket}/key`, version))).to.equal('kept');
    });

    it('one writes versions and delete markers', async () => {
      const anna = new VersionSteps(bench().anna);
      const own = await anna.put(`${bucket}/key`, "anna's");
      expect(await anna.read(at(`${bucket}/key`, own))).to.equal("anna's");
      await anna.mark(`${bucket}/key`);
      expect(await steps().history(bucket, 'key')).to.have.length(3);
    });

    it('one deletes no version, not even of one’s own, nor a delete marker', async () => {
      for (const { id } of await steps().versions(bucket, '&prefix=key')) {
        expectAnswer(await bench().anna.delete(at(`${bucket}/key`, id)), 403, 'AccessDenied');
        const object = `<Key>key</Key><VersionId>${id}</VersionId>`;
        const many = await bench().anna.send(deleteRequest(bucket, [object]));
        expect(many.text).to.contain('<Code>AccessDenied</Code>').and.not.contain('<Deleted>');
      }
      expectAnswer(await bench().anna.delete(at(`${bucket}/key`, UNKNOWN_ID)), 403, 'AccessDenied');
      expect(await steps().history(bucket, 'key')).to.have.length(3);
    });

    it('one sets no locks, and sees none', async () => {
      const path = at(`${bucket}/key`, version);
      for (const [query, document] of [
        ['legal-hold', legalHold('ON')],
        ['retention', retention('GOVERNANCE', UNTIL)],
      ] as const) {
        const target = path.replace('?', `?${query}&`);
        expectAnswer(await bench().anna.put(target, document), 403, 'AccessDenied');
        expectAnswer(await bench().anna.get(target), 403, 'AccessDenied');
      }
      for (const headers of [
        { 'x-amz-object-lock-legal-hold': 'ON' },
        lockHeaders('GOVERNANCE', UNTIL),
      ]) {
        const refused = await bench().anna.put(`${bucket}/locked`, 'body', headers);
        expectAnswer(refused, 403, 'AccessDenied');
        const upload = { method: 'POST', path: `${bucket}/locked?uploads`, headers };
        expectAnswer(await bench().anna.send(upload), 403, 'AccessDenied');
        const copied = await new VersionSteps(bench().anna).copy(
          `${bucket}/locked`,
          `${bucket}/own`,
          headers,
        );
        expect(copied.status).to.be.oneOf([403, 404]);
      }
      await steps().expectHistory(bucket, 'locked');
    });

    it('one changes neither versioning nor lock configuration', async () => {
      for (const [query, document] of [
        ['versioning', versioning('Suspended')],
        ['object-lock', lockConfiguration()],
      ] as const) {
        const target = `${bucket}?${query}`;
        expectAnswer(await bench().anna.put(target, document), 403, 'AccessDenied');
        expectAnswer(await bench().anna.get(target), 403, 'AccessDenied');
      }
    });
  });

  describe('anonymous', () => {
    it('reads of a public bucket see old versions, and change nothing', async () => {
      await steps().bucket('public', 'Enabled');
      const id = await steps().put('/public/key', 'old');
      await steps().put('/public/key', 'new');
      const grant = policy(OWNER_ID, [[ALL_USERS, 'READ']]);
      expectAnswer(await bench().owner.put('/public?acl', grant), 200);
      expect((await unsigned('GET', at('/public/key', id))).text).to.equal('old');
      expect((await unsigned('GET', '/public?versions')).text).to.contain(id);
      expectAnswer(await unsigned('DELETE', at('/public/key', id)), 403, 'AccessDenied');
      const marker = await steps().mark('/public/key');
      const hidden = await unsigned('GET', '/public/key');
      expectAnswer(hidden, 404, 'NoSuchKey');
      expect(hidden.headers['x-amz-version-id']).to.equal(marker);
      expectAnswer(await unsigned('GET', at('/public/key', marker)), 405, 'MethodNotAllowed');
    });
  });
});
