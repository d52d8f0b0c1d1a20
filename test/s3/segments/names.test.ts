import { expect } from 'chai';
import { mintUploadId } from '../../../src/s3/rules/upload-id.js';
import {
  markerOf,
  parseSegmentName,
  partOf,
  segmentsContainer,
  targetOf,
} from '../../../src/s3/segments/names.js';

const ID = mintUploadId(Date.UTC(2026, 0, 1));
/** As Swift's s3api mints them. */
const FOREIGN_ID = 'NDkzMjE4YzgtNjRiYi00YjJhLWE0MDEtYzVmYjg3YzM3YzZh';

const KEYS = ['a', 'a/b', '/', '//', 'a/', '/a', '1', 'a/1', ID, `a/${ID}`, `${ID}/1`, '😀', 'a:b'];

describe('s3 segments: names', () => {
  for (const key of KEYS) {
    for (const uploadId of [ID, FOREIGN_ID]) {
      it(`reads what it wrote for ${JSON.stringify(key)}, upload ${uploadId.slice(0, 4)}…`, () => {
        const upload = { account: 'AUTH_a', bucket: 'b', key, uploadId };
        const marker = parseSegmentName(markerOf(upload).object);
        expect(marker).to.deep.equal({ kind: 'marker', key, uploadId });
        for (const partNumber of [1, 10, 9999, 10_000]) {
          const part = parseSegmentName(partOf(upload, partNumber).object);
          expect(part).to.deep.equal({ kind: 'part', key, uploadId, partNumber });
        }
      });
    }
  }

  for (const name of [
    '',
    '/',
    'a',
    ID,
    `/${ID}`,
    `${ID}/1`,
    `/${ID}/1`,
    `a/${ID}/0`,
    `a/${ID}/01`,
    `a/${ID}/10001`,
    `a/${ID}/100000`,
    `a/${ID}/x`,
    `a/${ID}/`,
    `a/${ID}/-1`,
    'a/short/1',
  ]) {
    it(`does not know ${JSON.stringify(name)}`, () => {
      expect(parseSegmentName(name)).to.equal(undefined);
    });
  }

  it('lie in the companion container of the bucket', () => {
    const upload = { account: 'AUTH_a', bucket: 'b', key: 'k', uploadId: ID };
    const container = { account: 'AUTH_a', container: 'b+segments' };
    expect(segmentsContainer('AUTH_a', 'b')).to.deep.equal(container);
    expect(markerOf(upload)).to.deep.equal({ ...container, object: `k/${ID}` });
    expect(partOf(upload, 7)).to.deep.equal({ ...container, object: `k/${ID}/7` });
    expect(targetOf(upload)).to.deep.equal({ account: 'AUTH_a', container: 'b', object: 'k' });
  });
});
