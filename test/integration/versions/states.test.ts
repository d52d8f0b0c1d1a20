import { expect } from 'chai';
import { expectAnswer, at, useVersionsBench, VERSION_ID, versioning } from './bench.js';

/** The headers that tell of a delete marker. */
const namesOf = (marker: string) => ({
  'x-amz-delete-marker': 'true',
  'x-amz-version-id': marker,
});

/** The rows of SPEC.md 3.1. */
describe('versioning states over the wire', () => {
  const bench = useVersionsBench();

  async function stateOf(bucket: string): Promise<string> {
    const { text } = await bench().s3.get(`${bucket}?versioning`);
    return /<VersioningConfiguration[^>]*>(.*)<\/VersioningConfiguration>/.exec(text)?.[1] ?? text;
  }

  async function expectCurrent(bucket: string, body: string, id: string | undefined) {
    const { text, headers } = await bench().s3.get(`${bucket}/key`);
    expect([text, headers['x-amz-version-id']]).to.deep.equal([body, id]);
  }

  describe('unversioned', () => {
    it('overwrites in place, without version ids', async () => {
      const bucket = await bench().bucket('unversioned');
      expect(await stateOf(bucket)).to.equal('');
      for (const body of ['one', 'other']) {
        const put = await bench().s3.put(`${bucket}/key`, body);
        expect(put.headers).to.not.have.property('x-amz-version-id');
      }
      await expectCurrent(bucket, 'other', undefined);
      await bench().expectHistory(bucket, 'key', 'Version null latest');

      const deleted = await bench().s3.delete(`${bucket}/key`);
      expect(deleted.status).to.equal(204);
      expect(deleted.headers).to.not.have.any.keys('x-amz-version-id', 'x-amz-delete-marker');
      expect(await bench().versions(bucket)).to.deep.equal([]);
    });

    it('becomes what it is told, and never unversioned again', async () => {
      const bucket = await bench().bucket('becoming');
      for (const status of ['Suspended', 'Enabled', 'Suspended', 'Enabled'] as const) {
        await bench().become(bucket, status);
        expect(await stateOf(bucket)).to.equal(`<Status>${status}</Status>`);
      }
      for (const [document, code] of [
        ['', 'MalformedXML'],
        [versioning('enabled'), 'MalformedXML'],
        [versioning('Disabled'), 'MalformedXML'],
        [versioning(''), 'IllegalVersioningConfigurationException'],
        ['<VersioningConfiguration/>', 'IllegalVersioningConfigurationException'],
        ['<Other><Status>Suspended</Status></Other>', 'MalformedXML'],
      ] as const) {
        expectAnswer(await bench().s3.put(`${bucket}?versioning`, document), 400, code);
      }
      expect(await stateOf(bucket)).to.equal('<Status>Enabled</Status>');
      expectAnswer(await bench().s3.get('/absent?versioning'), 404, 'NoSuchBucket');
      const absent = await bench().s3.put('/absent?versioning', versioning('Enabled'));
      expectAnswer(absent, 404, 'NoSuchBucket');
    });

    it('has its object under the id null, before and after versions are kept', async () => {
      const bucket = await bench().bucket('first');
      await bench().put(`${bucket}/key`, 'before');
      expect(await bench().read(at(`${bucket}/key`, 'null'))).to.equal('before');
      await bench().become(bucket, 'Enabled');
      await bench().expectHistory(bucket, 'key', 'Version null latest');
      expect(await bench().read(at(`${bucket}/key`, 'null'))).to.equal('before');

      const id = await bench().put(`${bucket}/key`, 'after');
      await bench().expectHistory(bucket, 'key', `Version ${id} latest`, 'Version null');
      const former = await bench().s3.get(at(`${bucket}/key`, 'null'));
      expect([former.text, former.headers['x-amz-version-id']]).to.deep.equal(['before', 'null']);
    });
  });

  describe('Enabled', () => {
    it('mints an id for each PUT, and keeps what was there', async () => {
      const bucket = await bench().bucket('enabled', 'Enabled');
      const ids: string[] = [];
      for (const body of ['1', '2', '3']) ids.unshift(await bench().put(`${bucket}/key`, body));
      for (const id of ids) expect(id).to.match(VERSION_ID);
      expect(new Set(ids).size).to.equal(3);

      await expectCurrent(bucket, '3', ids[0]);
      const bodies = await Promise.all(ids.map((id) => bench().read(at(`${bucket}/key`, id))));
      expect(bodies).to.deep.equal(['3', '2', '1']);
      expect(await bench().history(bucket, 'key')).to.deep.equal(
        ids.map((id, i) => `Version ${id}${i === 0 ? ' latest' : ''}`),
      );
    });

    it('hides a key behind a delete marker, which its answers name', async () => {
      const bucket = await bench().bucket('marked', 'Enabled');
      const id = await bench().put(`${bucket}/key`, 'body');
      const marker = await bench().mark(`${bucket}/key`);
      expect(marker).to.match(VERSION_ID).and.not.equal(id);

      for (const method of ['GET', 'HEAD']) {
        for (const path of [`${bucket}/key`, `${bucket}/key?partNumber=1`]) {
          const answer = await bench().s3.send({ method, path });
          expectAnswer(answer, 404, method === 'GET' ? 'NoSuchKey' : undefined);
          expect(answer.headers).to.include(namesOf(marker));
        }
      }
      expect(await bench().read(at(`${bucket}/key`, id))).to.equal('body');
      const listed = await bench().s3.get(`${bucket}?list-type=2`);
      expect(listed.text).to.contain('<KeyCount>0</KeyCount>').and.not.contain('<Key>');
      await bench().expectHistory(bucket, 'key', `DeleteMarker ${marker} latest`, `Version ${id}`);
      expect((await bench().versions(bucket))[0]).to.include({ size: 0, etag: '' });
    });

    it('answers a missing key without the headers of a delete marker', async () => {
      const bucket = await bench().bucket('missing', 'Enabled');
      const answer = await bench().s3.get(`${bucket}/key`);
      expectAnswer(answer, 404, 'NoSuchKey');
      expect(answer.headers).to.not.have.any.keys('x-amz-version-id', 'x-amz-delete-marker');
    });

    it('marks a key that never was, and a marked one again', async () => {
      const bucket = await bench().bucket('nothing', 'Enabled');
      const first = await bench().mark(`${bucket}/key`);
      const second = await bench().mark(`${bucket}/key`);
      await bench().expectHistory(
        bucket,
        'key',
        `DeleteMarker ${second} latest`,
        `DeleteMarker ${first}`,
      );
    });
  });

  describe('Suspended', () => {
    it('overwrites the one version null, and keeps the others', async () => {
      const bucket = await bench().bucket('suspended', 'Enabled');
      const id = await bench().put(`${bucket}/key`, 'kept');
      await bench().become(bucket, 'Suspended');
      for (const body of ['a', 'bb']) {
        expect(await bench().put(`${bucket}/key`, body)).to.equal('null');
        await bench().expectHistory(bucket, 'key', 'Version null latest', `Version ${id}`);
        await expectCurrent(bucket, body, 'null');
      }
      expect(await bench().read(at(`${bucket}/key`, id))).to.equal('kept');
      expect(await bench().read(at(`${bucket}/key`, 'null'))).to.equal('bb');
    });

    it('overwrites an object from before versions were kept', async () => {
      const bucket = await bench().bucket('suspended-at-once');
      await bench().put(`${bucket}/key`, 'before');
      await bench().become(bucket, 'Suspended');
      expect(await bench().put(`${bucket}/key`, 'after')).to.equal('null');
      await bench().expectHistory(bucket, 'key', 'Version null latest');
      expect(await bench().read(at(`${bucket}/key`, 'null'))).to.equal('after');
    });

    it('takes a former version null out of the middle', async () => {
      const bucket = await bench().bucket('middle');
      await bench().put(`${bucket}/key`, 'oldest');
      await bench().become(bucket, 'Enabled');
      const id = await bench().put(`${bucket}/key`, 'between');
      await bench().become(bucket, 'Suspended');
      await bench().put(`${bucket}/key`, 'newest');
      await bench().expectHistory(bucket, 'key', 'Version null latest', `Version ${id}`);
      expect(await bench().read(at(`${bucket}/key`, 'null'))).to.equal('newest');
    });

    it('marks with the id null, in place of the version null', async () => {
      const bucket = await bench().bucket('suspended-marked', 'Enabled');
      const id = await bench().put(`${bucket}/key`, 'kept');
      await bench().become(bucket, 'Suspended');
      await bench().put(`${bucket}/key`, 'lost');
      for (let twice = 0; twice < 2; twice++) {
        expect(await bench().mark(`${bucket}/key`)).to.equal('null');
        await bench().expectHistory(bucket, 'key', 'DeleteMarker null latest', `Version ${id}`);
      }
      const gone = await bench().s3.get(`${bucket}/key`);
      expectAnswer(gone, 404, 'NoSuchKey');
      expect(gone.headers).to.include(namesOf('null'));
      expectAnswer(await bench().s3.get(at(`${bucket}/key`, 'null')), 405, 'MethodNotAllowed');
    });

    it('mints ids again once it is enabled', async () => {
      const bucket = await bench().bucket('resumed', 'Suspended');
      expect(await bench().put(`${bucket}/key`, 'null')).to.equal('null');
      await bench().become(bucket, 'Enabled');
      const id = await bench().put(`${bucket}/key`, 'new');
      expect(id).to.match(VERSION_ID);
      await bench().expectHistory(bucket, 'key', `Version ${id} latest`, 'Version null');
    });
  });

  describe('DELETE with a version id', () => {
    it('removes exactly that version, in every state', async () => {
      const bucket = await bench().bucket('exact', 'Enabled');
      const [one, two, three] = [
        await bench().put(`${bucket}/key`, '1'),
        await bench().put(`${bucket}/key`, '2'),
        await bench().put(`${bucket}/key`, '3'),
      ] as const;
      await expectDeleted(bucket, two);
      expect(await bench().read(`${bucket}/key`)).to.equal('3');
      await bench().become(bucket, 'Suspended');
      await expectDeleted(bucket, three);
      await expectCurrent(bucket, '1', one);
      await expectDeleted(bucket, one);
      expect(await bench().versions(bucket)).to.deep.equal([]);
      const gone = await bench().s3.get(`${bucket}/key`);
      expectAnswer(gone, 404, 'NoSuchKey');
      expect(gone.headers).to.not.have.property('x-amz-delete-marker');
    });

    it('brings back what is below a delete marker', async () => {
      const bucket = await bench().bucket('restored', 'Enabled');
      const id = await bench().put(`${bucket}/key`, 'back again');
      const markers = [await bench().mark(`${bucket}/key`), await bench().mark(`${bucket}/key`)];
      for (const marker of markers) {
        expectAnswer(await bench().s3.get(`${bucket}/key`), 404, 'NoSuchKey');
        const { status, headers } = await bench().s3.delete(at(`${bucket}/key`, marker));
        expect(status).to.equal(204);
        expect(headers).to.include(namesOf(marker));
      }
      await expectCurrent(bucket, 'back again', id);
      expect((await bench().s3.get(bucket)).text).to.contain('<Key>key</Key>');
    });

    it('removes the version null: plain, adopted, and of a bucket without versions', async () => {
      const bucket = await bench().bucket('nulls');
      for (const key of ['plain', 'kept', 'adopted']) await bench().put(`${bucket}/${key}`, key);
      expect((await bench().s3.delete(at(`${bucket}/plain`, 'null'))).status).to.equal(204);
      expectAnswer(await bench().s3.get(`${bucket}/plain`), 404, 'NoSuchKey');

      await bench().become(bucket, 'Enabled');
      await expectDeleted(bucket, 'null', 'kept');
      expectAnswer(await bench().s3.get(`${bucket}/kept`), 404, 'NoSuchKey');

      const id = await bench().put(`${bucket}/adopted`, 'new');
      await expectDeleted(bucket, 'null', 'adopted');
      await bench().expectHistory(bucket, '', `Version ${id} latest`);
    });

    it('answers 204 for what is not there, and changes nothing', async () => {
      const bucket = await bench().bucket('absent-version', 'Enabled');
      const id = await bench().put(`${bucket}/key`, 'body');
      for (const key of ['key', 'other']) {
        for (const absent of ['null', 'f'.repeat(32)]) {
          const { status, headers } = await bench().s3.delete(at(`${bucket}/${key}`, absent));
          expect(status).to.equal(204);
          expect(headers).to.not.have.property('x-amz-delete-marker');
        }
      }
      await bench().expectHistory(bucket, '', `Version ${id} latest`);
    });

    async function expectDeleted(bucket: string, id: string, key = 'key'): Promise<void> {
      const { status, headers } = await bench().s3.delete(at(`${bucket}/${key}`, id));
      expect([status, headers['x-amz-version-id']]).to.deep.equal([204, id]);
      expect(headers).to.not.have.property('x-amz-delete-marker');
      expectAnswer(await bench().s3.get(at(`${bucket}/${key}`, id)), 404, 'NoSuchVersion');
    }
  });
});
