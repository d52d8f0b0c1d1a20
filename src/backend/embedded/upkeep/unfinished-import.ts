import { BackendError } from '../../errors.js';
import { decodeContainer } from '../container-record.js';
import type { StoreDeps } from '../deps.js';
import { afterKey, idKey, idOf } from '../keys.js';
import { dropBody } from '../object-changes.js';
import { decodeSummary } from '../object-record.js';
import { decodeIdentity, isAlive } from '../process-identity.js';
import { refresh, type Tables } from '../tables.js';
import type { WriteTransaction } from '../write-transaction.js';
import type { StoreState } from './state.js';

/**
 * The mark of an import that is under way: a row of the table `meta`, with its process and the first id
 * that its containers may have. Its objects are in the index under ids that no container has yet, so no
 * client sees them; the last transaction makes the containers, and removes the mark. Where a mark's
 * process is dead, its objects go.
 */
export interface ImportMark {
  readonly from: number;
  readonly isAlive: boolean;
}

const KEY = Buffer.from('import');
/** Rows removed in a transaction. */
const BATCH = 256;

export function unfinishedImport(state: StoreState): Pick<ImportMark, 'from'> | undefined {
  const row = state.get(state.deps.tables.meta, KEY);
  return row && { from: idOf(row) };
}

/** Inside a transaction. */
export function readMark({ meta }: Tables, bootId: string): ImportMark | undefined {
  const row = meta.get(KEY);
  if (row === undefined) return undefined;
  const owner = decodeIdentity(Buffer.from(row.subarray(6)));
  return { from: idOf(row), isAlive: owner !== undefined && isAlive(owner, bootId) };
}

export function writeMark({ tables }: WriteTransaction, from: number, owner: Buffer): void {
  void tables.meta.put(KEY, Buffer.concat([idKey(from), owner]));
}

export function removeMark({ tables }: WriteTransaction): void {
  void tables.meta.remove(KEY);
}

/** Removes what an import has left whose process is dead. Waits, on a full device, for the next time. */
export async function forgetDeadImport(deps: StoreDeps): Promise<void> {
  refresh(deps.tables);
  const mark = readMark(deps.tables, deps.self.bootId);
  if (mark === undefined || mark.isAlive) return;
  try {
    await removeImported(deps, mark.from);
  } catch (error) {
    if (!(error instanceof BackendError && error.code === 'StorageFull')) throw error;
  }
}

/**
 * Removes the objects under ids from `from` on that no container has, and then the mark.
 * @throws BackendError as a commit
 */
export async function removeImported(deps: StoreDeps, from: number): Promise<void> {
  const { tables, commits, owner, reaper } = deps;
  refresh(tables);
  const named = new Set<number>();
  for (const { value } of tables.containers.getRange({})) {
    named.add(decodeContainer(value, value.length).id);
  }
  // Containers that others make meanwhile have later ids.
  const row = tables.meta.get(Buffer.from('next-container-id'));
  const end = row === undefined ? idKey(1) : Buffer.from(row);
  for (let start = idKey(from); ;) {
    refresh(tables);
    const rows = [...tables.objects.getRange({ start, end, limit: BATCH })];
    const last = rows.at(-1);
    if (last === undefined) break;
    start = afterKey(Buffer.from(last.key));
    const doomed = rows
      .filter(({ key }) => !named.has(idOf(key)))
      .map(({ key, value }) => ({ key, object: decodeSummary(value, value.length) }));
    const freed: number[] = [];
    await commits.run((transaction) => {
      for (const { key, object } of doomed) {
        void transaction.tables.objects.remove(key);
        dropBody(transaction, object, owner, freed);
      }
    });
    reaper.add(freed);
  }
  await commits.run(removeMark);
}
