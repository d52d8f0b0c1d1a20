import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Backend, ObjectRef } from '../../../src/backend/backend.js';
import {
  type BackendCall,
  DecoratedBackend,
} from '../../../src/backend/decorators/decorated-backend.js';
import { WeakPreconditions } from '../../../src/backend/decorators/weak-preconditions.js';
import type { StartedWrite } from '../../../src/backend/decorators/weak-writes.js';
import { BackendError } from '../../../src/backend/errors.js';
import { BUCKET, CONTEXT, inputOf } from './support.js';

/** A write, and what is there when it has the last word. */
export interface Started {
  readonly object: string;
  readonly startedAt: number;
  /** Undefined of a delete. */
  readonly text: string | undefined;
}

/** Each of them is a race of its own, of all that churn. */
export const KEYS = Array.from({ length: 40 }, (_, i) => `key ${i}`);
const SOURCE: ObjectRef = { ...BUCKET, object: 'source' };

/** Takes its time before it does anything, so that calls of others come in between any two. */
class Jittery extends DecoratedBackend {
  protected override async around<T>(_call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    await someTurns(60);
    return proceed();
  }
}

async function someTurns(max: number): Promise<void> {
  for (let turns = Math.random() * max; turns > 0; turns--) await nextTurn();
}

/** Writes, links, copies and deletes that all take their time between check and commit. */
export async function churn(store: Backend, who: string): Promise<Started[]> {
  const writes: Started[] = [];
  let text: string | undefined;
  const backend = new WeakPreconditions(new Jittery(store), {
    async pause(phase, { ref, startedAt }: StartedWrite) {
      if (phase === 'started') writes.push({ object: ref.object, startedAt, text });
      await someTurns(200);
    },
  });
  const source = { ...SOURCE, object: `source of ${who}` };
  await store.putObject(CONTEXT, source, inputOf(`copy by ${who}`));
  const target = { container: source.container, object: source.object };
  const link = { target, size: 1, etag: 'link', contentType: 'a/b' };
  for (const object of KEYS) {
    const ref = { ...BUCKET, object };
    const kind = Math.floor(Math.random() * 4);
    text = [`put by ${who}`, `copy by ${who}`, `copy by ${who}`, undefined][kind];
    if (kind === 0) await backend.putObject(CONTEXT, ref, inputOf(text ?? ''));
    if (kind === 1) await backend.copyObject(CONTEXT, source, ref, {});
    if (kind === 2) await backend.putLink(CONTEXT, ref, link);
    if (kind === 3) await backend.deleteObject(CONTEXT, ref).catch(ignoreMissing);
  }
  return writes;
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof BackendError && error.code === 'NoSuchObject')) throw error;
}
