import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedStore } from '../../../../src/backend/embedded/index.js';
import { removeFolder } from '../../../support/temp-folder.js';
import { useOnce } from '../../../support/fixture.js';
import { BUCKET, CONTEXT, PARTS, temporaryDirectory } from '../support.js';
import { findProblems } from './check.js';
import { type Content, expectationsAfter } from './journal.js';
import { observe } from './observe.js';

const ROUNDS = process.env.RINGWAY_LARGE === '1' ? 50 : 8;
const WRITERS = 2;
/** The kill comes after a random number of acknowledgements below this. */
const ACKNOWLEDGED_MAX = 150;
const WRITER_PATH = new URL('./writer.js', import.meta.url);

describe('embedded store, killed again and again', function () {
  this.timeout(120_000);
  const root = useOnce(temporaryDirectory, removeFolder);
  const directory = useOnce(() => join(root(), 'store'));

  before(async () => {
    await mkdir(join(root(), 'journals'));
    const store = await openEmbeddedStore({ directory: directory() });
    for (const ref of [BUCKET, PARTS]) await store.createContainer(CONTEXT, ref, {});
    await store.close();
  });

  it(`loses nothing acknowledged and leaves nothing partial, ${ROUNDS} rounds`, async () => {
    let found: ReadonlyMap<string, Content> = new Map();
    let reclaimed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const journals = Array.from({ length: WRITERS }, (_, i) => journalPath(round, i));
      reclaimed += await runAndKill(round, journals);
      const store = await openEmbeddedStore({ directory: directory() });
      reclaimed += (await store.recover()).bodiesReclaimed;
      const state = await observe(store, directory());
      const problems = findProblems(state, expectationsAfter(found, journals));
      expect(problems, `round ${round}`).to.deep.equal([]);
      found = state.objects;
    }
    // Otherwise no kill ever came at an interesting moment, and the test proves little.
    expect(found.size).to.be.above(10);
    expect(reclaimed).to.be.above(0);
  });

  function journalPath(round: number, writer: number): string {
    return join(root(), 'journals', `${round}-${writer}`);
  }

  /** Kills the writers one after the other; recovers in between, while the second one works on. */
  async function runAndKill(round: number, journals: readonly string[]): Promise<number> {
    const writers = journals.map((journal, i) => {
      const firstSeed = (round * WRITERS + i + 1) * 1_000_000;
      return fork(WRITER_PATH, [directory(), journal, String(i), String(firstSeed)]);
    });
    let reclaimed = 0;
    for (const writer of writers) {
      await killAfter(writer, 1 + Math.floor(Math.random() * ACKNOWLEDGED_MAX));
      const store = await openEmbeddedStore({ directory: directory() });
      reclaimed += (await store.recover()).bodiesReclaimed;
      await store.close();
    }
    return reclaimed;
  }
});

async function killAfter(writer: ChildProcess, acknowledged: number): Promise<void> {
  const exited = once(writer, 'exit');
  writer.on('message', (message: { acknowledged: number }) => {
    if (message.acknowledged >= acknowledged) writer.kill('SIGKILL');
  });
  const [, signal] = (await exited) as [number | null, string | null];
  // A writer that ended by itself has failed: its stack is on stderr.
  expect(signal).to.equal('SIGKILL');
}
