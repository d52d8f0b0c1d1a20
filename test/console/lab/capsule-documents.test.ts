import { expect } from 'chai';
import {
  segmentLines,
  segmentObjects,
  segmentsIn,
} from '../../../console/surfaces/lab/capsule/slo.js';
import { clientHeadersIn } from '../../../console/surfaces/lab/capsule/subject.js';

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('the documents of a capsule', () => {
  it('are read in turns, however many segments there are', async () => {
    const manifest = Array.from({ length: 10_000 }, (_, at) =>
      at === 7
        ? { data: 'aGVsbG8K\n' }
        : { name: `/c/${at % 4000}`, bytes: at, hash: 'f'.repeat(32), sub_slo: at === 9 },
    );
    const lines = segmentLines(bytesOf(manifest)) ?? '';
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const found: unknown[] = [];
    for await (const segment of segmentsIn(lines)) found.push(segment);
    isOver = true;
    expect(found).to.deep.equal(manifest);
    // Others had a turn after each 200 segments.
    expect(turns).to.be.at.least(49);
    const objects = await segmentObjects(lines);
    expect(objects.size).to.equal(4000);
    expect(objects.get('/c/9')).to.deep.include({ container: 'c', object: '9', isNested: true });
  });

  it('are refused where they are of another kind', () => {
    for (const odd of ['', '{', '{}', '[{}]', '[{"name":"c/o","bytes":1,"hash":""}]', '[1]'])
      expect(segmentLines(Buffer.from(odd)), odd).to.equal(null);
    const client = { 'content-type': 'text/plain' };
    expect(clientHeadersIn(bytesOf({ client, system: {} }))).to.deep.equal(client);
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`x-${at}`, '']));
    for (const odd of [{}, { client: { a: 1 } }, { client: { a: 'x'.repeat(20_000) } }, many])
      expect(clientHeadersIn(bytesOf(odd)), JSON.stringify(odd).slice(0, 40)).to.equal(null);
    expect(clientHeadersIn(bytesOf({ client: many }))).to.equal(null);
  });
});
