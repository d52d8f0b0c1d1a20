import { expect } from 'chai';
import { loadTool } from '../ops/dev/tools.js';

/** Bugs at least, for the score of `npm run test:planted` to say something. */
const BUGS_MIN = 100;

describe('tidy: planted bugs', () => {
  it('can each be planted, and have tests to notice them', async () => {
    const { plantedBugs, readSources, staleness } = await loadTool('lib/planted.mjs');
    const bugs = plantedBugs();
    const sources = readSources(process.cwd());
    const stale = bugs.flatMap((bug) => {
      const reason = staleness(bug, sources, process.cwd());
      return reason === undefined ? [] : [`ops/dev/planted: "${bug.name}": ${reason}`];
    });
    expect(stale, 'plant the same mistake in the new code; see CONTRIBUTING.md').to.deep.equal([]);
    expect(bugs.length).to.be.at.least(BUGS_MIN);
    expect(new Set(bugs.map(({ name }) => name)).size).to.equal(bugs.length);
  });

  it('follow code that moves or is formatted anew, and notice when it is gone', async () => {
    const { plant } = await loadTool('lib/planted.mjs');
    const bug = { name: 'x', file: 'src/a.ts', find: 'if (a) b();', replace: '', tests: [] };
    const planted = (...files: [string, string][]) => plant(bug, new Map(files));
    const text = 'first();\nif (a)\n  b();\nlast();\n';
    const expected = 'first();\n\nlast();\n';
    expect(planted(['src/a.ts', text])).to.deep.equal({ path: 'src/a.ts', text: expected });
    expect(planted(['src/a.ts', ''], ['src/moved.ts', text])).to.deep.equal({
      path: 'src/moved.ts',
      text: expected,
    });
    expect(planted(['src/a.ts', text + text])).to.have.property('stale');
    expect(planted(['src/b.ts', text], ['src/c.ts', text])).to.have.property('stale');
    expect(planted(['src/a.ts', 'if (a) c();'])).to.have.property('stale');
  });
});
