import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ComputeThread } from '../../../console/server/compute-thread.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

/** Does what its task is called. */
const THREAD = `export default function run({ task }) {
  if (task.name === 'memory') {
    const all = [];
    for (;;) all.push(new Array(100_000).fill(all.length));
  }
  if (task.name === 'exit') process.exit(3);
  throw new TypeError('it is no number');
}
`;

describe('a computation that does not come to its end', () => {
  it('says what failed, and to the log why', async () => {
    const folder = await makeTempFolder('compute');
    const logged: { readonly err?: Error; readonly computation?: string }[] = [];
    const logger = { error: (given: object) => void logged.push(given) };
    const file = join(folder, 'thread.mjs');
    await writeFile(file, THREAD);
    const thread = new ComputeThread<{ readonly name: string }, never>({
      ...{ file, logger, heapMbMax: 32 },
    });
    const failureOf = async (name: string): Promise<unknown> =>
      thread.run({ name }).catch((error: unknown) => error);
    try {
      const said = 'failed: the log of the console says why.';
      for (const name of ['report', 'exit']) {
        expect(await failureOf(name)).to.include({ code: 'internal', message: `The computation “${name}” ${said}` }); // prettier-ignore
      }
      expect(await failureOf('memory')).to.include({
        code: 'unprocessable',
        message: 'The computation “memory” takes more than the 32 MB of memory that it may have.',
      });
      expect(logged.map(({ computation }) => computation)).to.deep.equal(['report', 'exit', 'memory']); // prettier-ignore
      expect(logged[0]?.err?.message).to.equal('it is no number');
    } finally {
      await thread.close();
      await removeFolder(folder);
    }
  });
});
