import { expect } from 'chai';
import { IS_CLUSTER } from '../support/stack.js';
import {
  deleteRequest,
  etagOf,
  expectAnswer,
  useRacers,
  useVersionsBench,
} from './versions/bench.js';

const RACERS = 8;
/** A real cluster takes a hundred times as long for each. */
const ROUNDS = IS_CLUSTER ? 2 : 6;
const ANY = { 'if-match': '*' };

function having(body: string): Record<string, string> {
  return { 'if-match': etagOf(body) };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html */
describe('conditional deletes over the wire', () => {
  const bench = useVersionsBench();
  const race = useRacers(() => bench().service, RACERS);

  async function deleteObjects(bucket: string, objects: readonly string[]): Promise<string[]> {
    const answer = await bench().s3.send(deleteRequest(bucket, objects));
    expect(answer.status).to.equal(200);
    return [...answer.text.matchAll(/<Deleted>|<Code>([^<]*)</g)].map(([, code]) => code ?? 'gone');
  }

  for (const state of [undefined, 'Enabled', 'Suspended'] as const) {
    describe(state ?? 'without versions', () => {
      const nameOf = (name: string) => `${name}-${(state ?? 'plain').toLowerCase()}`;
      const newBucket = (name: string): Promise<string> => bench().bucket(nameOf(name), state);

      /** Under the condition, and that there is a marker where the bucket keeps versions. */
      async function expectDeleted(bucket: string, condition: Record<string, string>) {
        const { status, headers } = await bench().s3.delete(`${bucket}/key`, condition);
        const marker = state === undefined ? undefined : 'true';
        expect([status, headers['x-amz-delete-marker']]).to.deep.equal([204, marker]);
        expectAnswer(await bench().s3.get(`${bucket}/key`), 404, 'NoSuchKey');
      }

      it('deletes what has the ETag, and nothing else', async () => {
        const bucket = await newBucket('etag');
        await bench().put(`${bucket}/key`, 'body');
        for (const wrong of ['other', 'body ']) {
          const refused = await bench().s3.delete(`${bucket}/key`, having(wrong));
          expectAnswer(refused, 412, 'PreconditionFailed');
          expect(refused.text).to.contain('<Condition>If-Match</Condition>');
        }
        expect(await bench().read(`${bucket}/key`)).to.equal('body');
        await expectDeleted(bucket, having('body'));
      });

      it('deletes what there is, whatever it is', async () => {
        const bucket = await newBucket('any');
        await bench().put(`${bucket}/key`, 'body');
        await expectDeleted(bucket, ANY);
      });

      it('answers 404 where there is nothing, and writes nothing', async () => {
        const bucket = await newBucket('nothing');
        for (const condition of [ANY, having('body')]) {
          expectAnswer(await bench().s3.delete(`${bucket}/never`, condition), 404, 'NoSuchKey');
        }
        expect(await bench().versions(bucket)).to.deep.equal([]);
        expectAnswer(await bench().s3.delete('/missing-bucket/key', ANY), 404, 'NoSuchBucket');
      });

      it('takes each key of DeleteObjects by its own ETag', async () => {
        const bucket = await newBucket('many');
        for (const key of ['right', 'bare', 'any', 'wrong', 'list']) {
          await bench().put(`${bucket}/${key}`, key);
        }
        const outcomes = await deleteObjects(bucket, [
          `<Key>right</Key><ETag>${etagOf('right')}</ETag>`,
          `<Key>bare</Key><ETag>${etagOf('bare').replaceAll('"', '')}</ETag>`,
          '<Key>any</Key><ETag>*</ETag>',
          `<Key>wrong</Key><ETag>${etagOf('other')}</ETag>`,
          `<Key>list</Key><ETag>${etagOf('list')}, ${etagOf('other')}</ETag>`,
          `<Key>missing</Key><ETag>${etagOf('missing')}</ETag>`,
          '<Key>missing</Key><ETag>*</ETag>',
          `<Key>right</Key><VersionId>null</VersionId><ETag>${etagOf('right')}</ETag>`,
        ]);
        expect(outcomes).to.deep.equal([
          ...['gone', 'gone', 'gone', 'PreconditionFailed', 'NotImplemented'],
          ...['NoSuchKey', 'NoSuchKey', 'NotImplemented'],
        ]);
        for (const key of ['right', 'bare', 'any']) {
          expectAnswer(await bench().s3.get(`${bucket}/${key}`), 404, 'NoSuchKey');
        }
        for (const key of ['wrong', 'list']) {
          expect(await bench().read(`${bucket}/${key}`)).to.equal(key);
        }
      });

      it('lets one of many deleters win', async () => {
        const bucket = await newBucket('deleters');
        for (let round = 0; round < ROUNDS; round++) {
          await bench().put(`${bucket}/key-${round}`, 'body');
          const answers = await race((racer, n) =>
            racer.delete(`${bucket}/key-${round}`, n % 2 === 0 ? ANY : having('body')),
          );
          const told = answers.map(({ status, code = '' }) => `${status} ${code}`).sort();
          const others = Array.from({ length: RACERS - 1 }, () => '404 NoSuchKey');
          expect(told).to.deep.equal(['204 ', ...others]);
        }
      });

      it('never takes what was written since', async () => {
        const bucket = await newBucket('writers');
        for (let round = 0; round < ROUNDS; round++) {
          const path = `${bucket}/key-${round}`;
          await bench().put(path, 'old');
          const answers = await race((racer, n) =>
            n === 0 ? racer.put(path, 'new') : racer.delete(path, having('old')),
          );
          expectAnswer(answers[0]!, 200);
          const deleted = answers.filter(({ status }) => status === 204);
          expect(deleted.length, 'deletions that succeeded').to.be.at.most(1);
          expect(await bench().read(path)).to.equal('new');
        }
      });
    });
  }

  for (const state of ['Enabled', 'Suspended'] as const) {
    it(`looks at the current version alone: ${state}`, async () => {
      const bucket = await bench().bucket(`current-${state.toLowerCase()}`, 'Enabled');
      await bench().put(`${bucket}/key`, 'old');
      const id = await bench().put(`${bucket}/key`, 'new');
      if (state !== 'Enabled') await bench().become(bucket, state);
      const stale = await bench().s3.delete(`${bucket}/key`, having('old'));
      expectAnswer(stale, 412, 'PreconditionFailed');
      const exactly = `${bucket}/key?versionId=${id}`;
      for (const condition of [ANY, having('new')]) {
        const refused = await bench().s3.delete(exactly, condition);
        expectAnswer(refused, 501, 'NotImplemented');
        expect(refused.text).to.contain('<Header>If-Match</Header>');
      }
      const marked = await bench().s3.delete(`${bucket}/key`, having('new'));
      expect([marked.status, marked.headers['x-amz-delete-marker']]).to.deep.equal([204, 'true']);
      const before = await bench().history(bucket, 'key');
      // Behind a delete marker there is no object, whatever lies below.
      for (const condition of [ANY, having('new'), having('old')]) {
        expectAnswer(await bench().s3.delete(`${bucket}/key`, condition), 404, 'NoSuchKey');
      }
      expect(await deleteObjects(bucket, ['<Key>key</Key><ETag>*</ETag>'])).to.deep.equal([
        'NoSuchKey',
      ]);
      expect(await bench().history(bucket, 'key')).to.deep.equal(before);
    });
  }

  it('finds the ETag of an object made of parts', async () => {
    const bucket = await bench().bucket('parts');
    const { uploadId, parts } = await bench().smallUpload(`${bucket}/key`, 'part');
    expectAnswer(await bench().complete(`${bucket}/key`, uploadId, parts), 200);
    const { headers } = await bench().s3.head(`${bucket}/key`);
    expect(headers.etag).to.match(/-1"$/);
    const ofPart = await bench().s3.delete(`${bucket}/key`, having('part'));
    expectAnswer(ofPart, 412, 'PreconditionFailed');
    const deleted = await bench().s3.delete(`${bucket}/key`, { 'if-match': headers.etag ?? '' });
    expect(deleted.status).to.equal(204);
  });

  it('refuses the conditions of directory buckets, and those of reads', async () => {
    const bucket = await bench().bucket('refused');
    await bench().put(`${bucket}/key`, 'body');
    for (const [header, value] of [
      ['x-amz-if-match-size', '4'],
      ['x-amz-if-match-last-modified-time', 'Wed, 21 Oct 2015 07:28:00 GMT'],
      ['if-none-match', '*'],
      ['if-unmodified-since', 'Wed, 21 Oct 2035 07:28:00 GMT'],
      ['if-match', `W/${etagOf('body')}`],
      ['if-match', `${etagOf('body')}, ${etagOf('other')}`],
    ] as const) {
      const refused = await bench().s3.delete(`${bucket}/key`, { [header]: value });
      expectAnswer(refused, 501, 'NotImplemented');
    }
    expect(await bench().read(`${bucket}/key`)).to.equal('body');
  });
});
