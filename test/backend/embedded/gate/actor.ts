import { setTimeout as delay } from 'node:timers/promises';
import { CommitQueue } from '../../../../src/backend/embedded/commit-queue.js';
import { ContainerIds } from '../../../../src/backend/embedded/container-ids.js';
import { IndexGate } from '../../../../src/backend/embedded/index-gate.js';
import { layoutOf } from '../../../../src/backend/embedded/layout.js';
import {
  closeTables,
  copyOf,
  openTables,
  peek,
  refresh,
  type Tables,
} from '../../../../src/backend/embedded/tables.js';

/**
 * A process at the gate, `actor.js <directory> <role>`; each tells its parent what it has seen.
 *
 *     opener   opens and closes the index again and again, until its parent is gone or kills it
 *     writer   counts a row of its own and one of all writers up, and looks after each commit whether
 *              its row is there; at the message `end` it sends {@link Written}
 *     holder   takes the gate alone, says so, and never lets go
 *     blocker  at each message holds LMDB's write lock for a while, and says when it has it and when not
 *     thrower  throws while it waits for LMDB's write lock
 */
export interface Written {
  readonly commits: number;
  /** Commits that were acknowledged and then not there, or not what was written. */
  readonly unseen: readonly string[];
}

const MAP_BYTES = 2 ** 30;
const ROW_OF_ALL = Buffer.from('all');

const [directory = '', role = ''] = process.argv.slice(2);
const layout = layoutOf(directory);
process.on('disconnect', () => process.exit());

async function openAndClose(): Promise<never> {
  for (let opens = 1; ; opens++) {
    await closeTables(await openTables(layout, MAP_BYTES));
    process.send?.(opens);
  }
}

async function write(): Promise<void> {
  const tables = await openTables(layout, MAP_BYTES);
  const commits = new CommitQueue(
    tables,
    new ContainerIds(tables),
    () => Promise.resolve(Infinity),
    undefined,
  );
  const own = Buffer.from(String(process.pid));
  const valueOf = (row: Buffer): number => {
    const value = peek(tables.meta, row);
    return value === undefined ? 0 : copyOf(value).readUIntBE(0, 6);
  };
  const bytesOf = (value: number): Buffer => {
    const bytes = Buffer.alloc(6);
    bytes.writeUIntBE(value, 0, 6);
    return bytes;
  };
  let isEnding = false;
  process.on('message', () => (isEnding = true));
  process.send?.('ready');
  const unseen: string[] = [];
  let count = 0;
  while (!isEnding) {
    count++;
    await commits.run(() => {
      void tables.meta.put(own, bytesOf(count));
      void tables.meta.put(ROW_OF_ALL, bytesOf(valueOf(ROW_OF_ALL) + 1));
    });
    refresh(tables);
    const read = valueOf(own);
    if (read !== count) unseen.push(`committed ${count}, read ${read}`);
  }
  await closeTables(tables);
  process.send?.({ commits: count, unseen } satisfies Written);
}

async function hold(): Promise<void> {
  await new IndexGate(layout.index).alone(async () => {
    process.send?.('held');
    await delay(2 ** 31 - 1);
  });
}

async function block(): Promise<void> {
  const { root } = await openTables(layout, MAP_BYTES);
  process.on('message', () => {
    root.transactionSync(() => {
      process.send?.('locked');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    });
    process.send?.('free');
  });
  process.send?.('ready');
}

async function throwInside(): Promise<void> {
  const { root } = await openTables(layout, MAP_BYTES);
  process.once('message', () => {
    const commits = new CommitQueue(
      { root, gate: { enter: () => undefined, leave: () => undefined } } as unknown as Tables,
      {} as ContainerIds,
      () => Promise.resolve(Infinity),
      undefined,
    );
    void commits.run(() => undefined);
    setTimeout(() => {
      throw new Error('thrown inside of a commit');
    }, 100);
  });
  process.send?.('ready');
}

switch (role) {
  case 'blocker':
    await block();
    break;
  case 'thrower':
    await throwInside();
    break;
  case 'opener':
    await openAndClose();
    break;
  case 'writer':
    await write();
    process.disconnect();
    break;
  case 'holder':
    await hold();
    break;
  default:
    throw new Error(`no such role: ${role}`);
}
