import {
  type BackendCall,
  type BackendMethod,
  DecoratedBackend,
} from '../../../src/backend/decorators/decorated-backend.js';

/** Remembers the calls that are made, in the order in which they begin: tests count costs with it. */
export class RecordingBackend extends DecoratedBackend {
  #calls: BackendCall[] = [];

  /** Calls since the beginning, or since they were last taken. */
  get calls(): readonly BackendCall[] {
    return this.#calls;
  }

  /** The same, and begins anew. */
  take(): readonly BackendCall[] {
    return this.#calls.splice(0);
  }

  /** How many calls of each method: what a documented cost looks like. */
  counts(): Partial<Record<BackendMethod, number>> {
    const counts: Partial<Record<BackendMethod, number>> = {};
    for (const { method } of this.#calls) counts[method] = (counts[method] ?? 0) + 1;
    return counts;
  }

  protected override around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    this.#calls.push(call);
    return proceed();
  }
}

/** `putObject bucket/key`; a copy also says from where. */
export function describeCall({ method, ref, source }: BackendCall): string {
  const { account, container, object } = ref;
  const from = source === undefined ? [] : ['from', `${source.container}/${source.object}`];
  const path = object === undefined ? (container ?? account) : `${container ?? ''}/${object}`;
  return [method, path, ...from].filter((word) => word !== undefined).join(' ');
}
