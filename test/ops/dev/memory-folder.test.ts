import { existsSync, mkdirSync } from 'node:fs';
import { expect } from 'chai';
import { loadTool } from './tools.js';

describe('npm test: temporary folders in memory', () => {
  it('is gone after the stage, with what tests have left in it', async () => {
    const { MemoryFolder } = await loadTool('lib/memory-folder.mjs');
    const folder = new MemoryFolder({});
    const { TMPDIR: path } = folder.env;
    // A machine with little memory has none.
    if (path === undefined) return;
    expect(path).to.match(/^\/dev\/shm\//);
    mkdirSync(`${path}/left`);
    folder.remove();
    expect(existsSync(path)).to.equal(false);
  });

  it('is none where the caller names a place, and for tests of gigabytes', async () => {
    const { MemoryFolder } = await loadTool('lib/memory-folder.mjs');
    for (const env of [{ TMPDIR: '/var/tmp' }, { RINGWAY_LARGE: '1' }]) {
      expect(new MemoryFolder(env).env).to.deep.equal({});
    }
  });
});
