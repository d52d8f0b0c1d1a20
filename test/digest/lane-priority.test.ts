import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect } from 'chai';
import { createDigestFactory } from '../../src/digest/index.js';

/** Of each thread of this process. */
function niceness(): Map<string, number> {
  const found = new Map<string, number>();
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
      // The name in brackets may hold blanks; nice is field 19.
      found.set(thread, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
    } catch {
      // It has ended.
    }
  }
  return found;
}

describe('digest lanes: priority', () => {
  it('gives way to event loops, which keep theirs', async () => {
    const own = getPriority();
    const before = niceness();
    const digests = createDigestFactory({ inlineBytesMax: 0 });
    try {
      const body = digests.create({ md5: true, sha256: false }, 5);
      await body.update(Buffer.from('hello'));
      expect((await body.finish()).md5).to.equal('5d41402abc4b2a76b9719d911017c592');
      const begun = [...niceness()].filter(([thread]) => !before.has(thread));
      expect(begun.map(([, nice]) => nice)).to.include(Math.min(19, own + 10));
      expect(getPriority()).to.equal(own);
    } finally {
      await digests.close();
    }
  });
});
