import { expect } from 'chai';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { until } from '../support/until.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS, NEVER } from './support.js';

describe('janitor: uploads and parts', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
  });

  afterEach(() => bench.close());

  it('aborts uploads by their rule, with their parts', async () => {
    await bench.upload('logs/a', 1, 3);
    await bench.upload('other', 2, 2);
    await bench.upload('empty', 3, 0);
    await bench.rules(rules({ abortDaysAfterInitiation: 1, filter: { prefix: 'logs/' } }));
    await bench.janitor().visit(NEVER, 'now');
    expect(bench.told).to.deep.equal([]);
    bench.clock.advance(2 * DAY_MS);
    await bench.janitor().visit(NEVER, 'now');
    expect(bench.told).to.deep.equal(['abort done logs/a']);
    expect(await bench.segments()).to.deep.equal(['empty/3', 'other/2', 'other/2/1', 'other/2/2']);
  });

  it('sweeps parts of no upload and no object, once they are old', async () => {
    const uploadId = await bench.upload('crashed', 1, 3);
    await bench.removeMarker('crashed', uploadId);
    await bench.janitor().visit(NEVER, 'now');
    expect(await bench.segments()).to.have.length(3);
    bench.clock.advance(DAY_MS);
    await bench.janitor().visit(NEVER, 'now');
    expect(await bench.segments()).to.deep.equal([]);
    expect(bench.told).to.deep.equal(['sweep done crashed']);
  });

  it('keeps the parts of objects, and sweeps those that were left out', async () => {
    await bench.complete('whole', await bench.upload('whole', 1, 3), 3);
    await bench.complete('partly', await bench.upload('partly', 2, 3), 2);
    await bench.complete('again', await bench.upload('again', 3, 2), 2);
    await bench.complete('again', await bench.upload('again', 4, 1), 1);
    await bench.upload('open', 5, 1);
    bench.clock.advance(2 * DAY_MS);
    const planned = await bench.dryRun();
    expect(
      planned.map((action) => [action.key, 'parts' in action ? action.parts : 0]),
    ).to.deep.equal([
      ['again', 2],
      ['partly', 1],
    ]);
    await bench.janitor().visit(NEVER, 'now');
    expect(bench.told).to.deep.equal(['sweep done again', 'sweep done partly']);
    expect(await bench.segments()).to.deep.equal([
      'again/4/1',
      'open/5',
      'open/5/1',
      'partly/2/1',
      'partly/2/2',
      'whole/1/1',
      'whole/1/2',
      'whole/1/3',
    ]);
    for (const [key, body] of [
      ['whole', 'part 1part 2part 3'],
      ['partly', 'part 1part 2'],
      ['again', 'part 1'],
    ] as const) {
      expect(await read(key)).to.equal(body);
    }
  });

  it('leaves names alone that no gateway wrote', async () => {
    await bench.upload('key', 1, 1);
    const container = `${BUCKET}+segments`;
    const body = Buffer.from('x');
    for (const object of ['notes.txt', `key/${'1'.repeat(32)}/one`, `/${'1'.repeat(32)}/1`]) {
      const input = { size: 1, contentType: 'text/plain', body };
      await bench.store.putObject(CALL, { account: ACCOUNT, container, object }, input);
    }
    await bench.removeMarker('key', '1'.repeat(32));
    bench.clock.advance(2 * DAY_MS);
    await bench.janitor().visit(NEVER, 'now');
    expect(await bench.segments()).to.deep.equal(['/1/1', 'key/1/one', 'notes.txt']);
  });

  it('expires an object of parts, and these after the grace period', async () => {
    await bench.complete('large', await bench.upload('large', 1, 2), 2);
    await bench.rules(rules({ expiration: inDays(1) }));
    bench.clock.advance(2 * DAY_MS);
    const pass = bench.janitor({ segmentGraceMs: 20_000 }).visit(NEVER, 'now');
    // The lease's renewal, and the quarantine.
    await until(() => bench.clock.sleeping === 2);
    expect(await bench.keys()).to.deep.equal([]);
    expect(await bench.segments()).to.deep.equal(['large/1/1', 'large/1/2']);
    bench.clock.advance(20_000);
    await pass;
    expect(await bench.segments()).to.deep.equal([]);
    expect(bench.told).to.deep.equal(['expire done large']);
  });

  it('clears what a deleted bucket left behind', async () => {
    await bench.upload('key', 1, 2);
    await bench.store.deleteContainer(CALL, { account: ACCOUNT, container: BUCKET });
    await bench.janitor().visit(NEVER, 'now');
    expect(await bench.segments()).to.have.length(3);
    bench.clock.advance(2 * DAY_MS);
    await bench.janitor().visit(NEVER, 'now');
    expect(await bench.segments()).to.deep.equal([]);
    expect(bench.told).to.deep.equal(['abort done key']);
  });

  async function read(key: string): Promise<string> {
    const ref = { account: ACCOUNT, container: BUCKET, object: key };
    const { source } = (await bench.store.getObject(CALL, ref)).body;
    if (Buffer.isBuffer(source)) return source.toString();
    const chunks: Buffer[] = [];
    for await (const chunk of source) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString();
  }
});
