import { expect } from 'chai';
import { planUpload, segmentLength } from '../../../console/surfaces/files/upload-plan.js';

const KIB = 1024;
const MIB = 1024 * KIB;

describe('console files: the segments of an upload', () => {
  for (const [size, asked, segmentBytes, segments] of [
    [1, 8 * MIB, 8 * MIB, 1],
    [8 * MIB, 8 * MIB, 8 * MIB, 1],
    [8 * MIB + 1, 8 * MIB, 8 * MIB, 2],
    // No more than is asked for while a thousand are enough.
    [900 * KIB, 500 * KIB, 500 * KIB, 2],
    [1000 * 500 * KIB, 500 * KIB, 500 * KIB, 1000],
    [1000 * 500 * KIB + 1, 500 * KIB, MIB, 489],
    [8000 * MIB + 1, 8 * MIB, 9 * MIB, 889],
  ] as const) {
    it(`${size} bytes in segments of ${asked} at least: ${segments} of ${segmentBytes}`, () => {
      const file = { name: 'o', size_bytes: size, mtime_ms: 1, fingerprint: '0'.repeat(16) };
      const plan = planUpload(file, asked);
      expect(plan).to.include({ segmentBytes, segments });
      expect(plan.prefix).to.equal(`o/slo/1/${size}/${segmentBytes}/${file.fingerprint}/`);
      const last = segmentLength(plan, size, segments - 1);
      expect((segments - 1) * segmentBytes + last).to.equal(size);
    });
  }
});
