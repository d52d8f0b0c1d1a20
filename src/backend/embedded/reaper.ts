import type { BodyFiles } from './body-files.js';
import type { CommitQueue } from './commit-queue.js';
import { idKey } from './keys.js';

interface Doomed {
  readonly bodyId: number;
  readonly dueAt: number;
}

/** Unlinked, synced and struck from the index together. */
const BATCH = 256;
/** How long it waits before it asks again whether files may go. */
const HELD_RETRY_MS = 1000;

/**
 * Unlinks the files of bodies that were replaced or deleted, some time after the commit that
 * dropped them, and strikes their rows from the reclaim table. The delay is for readers that looked
 * a record up but have not opened its file yet; an open file stays readable anyway.
 *
 * Recovery does the rest if this process does not get to it: the rows are in the index.
 */
export class Reaper {
  #doomed: Doomed[] = [];
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #wasHeld = false;

  /** @param isHeld - whether files have to stay for now: see holds.ts */
  constructor(
    private readonly files: BodyFiles,
    private readonly commits: CommitQueue,
    private readonly delayMs: number,
    private readonly isHeld: () => boolean,
  ) {}

  /** Adds bodies to delete, whose rows in the reclaim table are on disk already. */
  add(bodyIds: Iterable<number>): void {
    const dueAt = performance.now() + this.delayMs;
    for (const bodyId of bodyIds) this.#doomed.push({ bodyId, dueAt });
    this.#schedule();
  }

  /** Does all that is left at once, due or not; what is held it leaves to recovery. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#work;
    await this.#reap(Infinity);
  }

  #schedule(): void {
    const next = this.#doomed[0];
    if (next === undefined || this.#timer !== undefined) return;
    const wait = Math.max(this.#wasHeld ? HELD_RETRY_MS : 0, next.dueAt - performance.now());
    this.#timer = setTimeout(() => {
      // An error (a disk that fails) leaves the rows to recovery.
      this.#work = this.#reap(performance.now()).catch(() => undefined);
      void this.#work.then(() => {
        this.#timer = undefined;
        this.#schedule();
      });
    }, wait);
    this.#timer.unref();
  }

  async #reap(now: number): Promise<void> {
    for (;;) {
      const due = this.#doomed.slice(0, BATCH).filter(({ dueAt }) => dueAt <= now);
      if (due.length === 0) return;
      this.#wasHeld = this.isHeld();
      if (this.#wasHeld) return;
      this.#doomed = this.#doomed.slice(due.length);
      await removeBodies(
        due.map(({ bodyId }) => bodyId),
        this.files,
        this.commits,
      );
    }
  }
}

/**
 * Unlinks body files and then their rows, in this order and with a sync in between, so that a crash
 * at any point leaves a row for every file.
 */
export async function removeBodies(
  bodyIds: readonly number[],
  files: BodyFiles,
  commits: Pick<CommitQueue, 'run'>,
): Promise<void> {
  for (const bodyId of bodyIds) await files.unlink(bodyId);
  await files.syncFoldersOf(bodyIds);
  await commits.run(({ tables }) => {
    for (const bodyId of bodyIds) void tables.reclaim.remove(idKey(bodyId));
  });
}
