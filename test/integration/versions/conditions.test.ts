import { expect } from 'chai';
import { at, etagOf, expectAnswer, useRacers, useVersionsBench, type Status } from './bench.js';

const RACERS = 20;
const ABSENT = { 'if-none-match': '*' };

/** Of the current version, in the instant in which the new one takes its place. */
describe('conditional writes of versions over the wire', () => {
  const bench = useVersionsBench();
  const race = useRacers(() => bench().service, RACERS);

  /** One of many that write its number under a condition. @returns its version */
  async function expectOneWinner(path: string, condition: Record<string, string>) {
    const answers = await race((racer, n) => racer.put(path, `${n}`, condition));
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const [n, answer] of answers.entries()) {
      if (n !== winner) expectAnswer(answer, 412, 'PreconditionFailed');
    }
    expect(await bench().read(path)).to.equal(`${winner}`);
    return answers[winner]?.headers['x-amz-version-id'];
  }

  for (const state of ['Enabled', 'Suspended'] as const) {
    describe(state, () => {
      it('creates with If-None-Match: * where there is no current version', async () => {
        const bucket = await bench().bucket(nameOf('absent', state), state);
        await bench().put(`${bucket}/key`, 'first', ABSENT);
        expectAnswer(await bench().s3.put(`${bucket}/key`, '2', ABSENT), 412, 'PreconditionFailed');
        await bench().mark(`${bucket}/key`);
        await bench().put(`${bucket}/key`, 'behind the marker', ABSENT);
        expect(await bench().read(`${bucket}/key`)).to.equal('behind the marker');
        expectAnswer(await bench().s3.put(`${bucket}/key`, '2', ABSENT), 412, 'PreconditionFailed');
      });

      it('replaces with If-Match the version that has the ETag', async () => {
        const bucket = await bench().bucket(nameOf('match', state), state);
        const missing = await bench().s3.put(`${bucket}/key`, '1', { 'if-match': etagOf('0') });
        expectAnswer(missing, 404, 'NoSuchKey');
        await bench().put(`${bucket}/key`, '1');
        await bench().put(`${bucket}/key`, '2', { 'if-match': etagOf('1') });
        const stale = await bench().s3.put(`${bucket}/key`, '3', { 'if-match': etagOf('1') });
        expectAnswer(stale, 412, 'PreconditionFailed');
        expect(await bench().read(`${bucket}/key`)).to.equal('2');
        await bench().mark(`${bucket}/key`);
        const gone = await bench().s3.put(`${bucket}/key`, '4', { 'if-match': etagOf('2') });
        expectAnswer(gone, 404, 'NoSuchKey');
      });

      it('lets one of many creators win', async () => {
        const bucket = await bench().bucket(nameOf('creators', state), state);
        const id = await expectOneWinner(`${bucket}/key`, ABSENT);
        await bench().expectHistory(bucket, 'key', `Version ${id} latest`);
      });

      it('lets one of many replacers win', async () => {
        const bucket = await bench().bucket(nameOf('replacers', state), state);
        await bench().put(`${bucket}/key`, 'first');
        await expectOneWinner(`${bucket}/key`, { 'if-match': etagOf('first') });
      });
    });
  }

  it('looks at an object from before versions were kept', async () => {
    const bucket = await bench().bucket('plain-conditions');
    await bench().put(`${bucket}/key`, 'plain');
    await bench().become(bucket, 'Enabled');
    expectAnswer(await bench().s3.put(`${bucket}/key`, 'x', ABSENT), 412, 'PreconditionFailed');
    const wrong = await bench().s3.put(`${bucket}/key`, 'x', { 'if-match': etagOf('other') });
    expectAnswer(wrong, 412, 'PreconditionFailed');
    await bench().expectHistory(bucket, 'key', 'Version null latest');
    const id = await bench().put(`${bucket}/key`, 'new', { 'if-match': etagOf('plain') });
    await bench().expectHistory(bucket, 'key', `Version ${id} latest`, 'Version null');
  });

  it('holds copies and deletions to them', async () => {
    const bucket = await bench().bucket('others', 'Enabled');
    const id = await bench().put(`${bucket}/key`, 'body');
    const copied = await bench().copy(`${bucket}/key`, at(`${bucket}/key`, id), ABSENT);
    expectAnswer(copied, 412, 'PreconditionFailed');
    const kept = await bench().s3.delete(`${bucket}/key`, { 'if-match': etagOf('other') });
    expectAnswer(kept, 412, 'PreconditionFailed');
    const marked = await bench().s3.delete(`${bucket}/key`, { 'if-match': etagOf('body') });
    expect([marked.status, marked.headers['x-amz-delete-marker']]).to.deep.equal([204, 'true']);
    const again = await bench().s3.delete(`${bucket}/key`, { 'if-match': etagOf('body') });
    expectAnswer(again, 404, 'NoSuchKey');
    const exactly = at(`${bucket}/key`, id);
    const refused = await bench().s3.delete(exactly, { 'if-match': etagOf('body') });
    expectAnswer(refused, 501, 'NotImplemented');
  });

  it('loses no unconditional write of a race, and lists each once', async () => {
    const bucket = await bench().bucket('all-win', 'Enabled');
    const answers = await race((racer, n) => racer.put(`${bucket}/key`, `body ${n}`));
    const ids = answers.map(({ headers }) => headers['x-amz-version-id'] ?? '');
    const listed = await bench().versions(bucket);
    expect(listed.map(({ id }) => id).sort()).to.deep.equal([...ids].sort());
    expect(listed.filter(({ latest }) => latest)).to.have.length(1);
    for (const [n, id] of ids.entries()) {
      expect(await bench().read(at(`${bucket}/key`, id))).to.equal(`body ${n}`);
    }
    const current = await bench().s3.get(`${bucket}/key`);
    expect(current.headers['x-amz-version-id']).to.equal(listed[0]?.id);
  });

  it('keeps one version null of a race while versioning is suspended', async () => {
    const bucket = await bench().bucket('one-null', 'Enabled');
    const kept = await bench().put(`${bucket}/key`, 'kept');
    await bench().become(bucket, 'Suspended');
    await race((racer, n) =>
      n % 4 === 3 ? racer.delete(`${bucket}/key`) : racer.put(`${bucket}/key`, `body ${n}`),
    );
    const [latest, ...others] = await bench().versions(bucket);
    expect(latest).to.include({ id: 'null', latest: true });
    expect(others.map(({ id }) => id)).to.deep.equal([kept]);
    const got = await bench().s3.get(`${bucket}/key`);
    if (latest?.kind === 'Version') expect(`"${latest.etag}"`).to.equal(got.headers.etag);
    else expectAnswer(got, 404, 'NoSuchKey');
  });
});

function nameOf(name: string, state: Status): string {
  return `${name}-${state.toLowerCase()}`;
}
