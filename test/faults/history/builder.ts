import { createHash } from 'node:crypto';
import type {
  BucketState,
  KeyOperation,
  ListedEntry,
  Operation,
  Outcome,
  ReadResult,
} from './operation.js';

/** When an operation began and ended. */
export type Span = readonly [start: number, end: number];

type OperationInput = KeyOperation extends infer Each
  ? Each extends KeyOperation
    ? Omit<Each, 'client' | 'start' | 'end' | 'key'>
    : never
  : never;

/** `a` is a body; what S3 shows of it is its MD5, but a checker does not care. */
export function bodyOf(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** The entries of a listing, newest first: `v1=a` a version with its body, `m1` a delete marker. */
export function entries(...texts: readonly string[]): ListedEntry[] {
  return texts.map((text, index): ListedEntry => {
    const [version = '', body] = text.split('=');
    const latest = index === 0;
    if (body === undefined) return { kind: 'delete-marker', version, latest };
    return { kind: 'version', version, body: bodyOf(body), latest };
  });
}

/** Histories of one key, written down as short as they can be. */
export class HistoryBuilder {
  readonly operations: Operation[] = [];

  state(state: BucketState, [start, end]: Span, answered = true): this {
    const outcome: Outcome<object> = answered
      ? { result: 'ok' }
      : { result: 'unknown', why: 'connection cut' };
    this.operations.push({ op: 'set-state', client: 'c', start, end, state, outcome });
    return this;
  }

  /** @param version - the id that was told; none in a bucket that was never versioned */
  put(body: string, span: Span, version?: string): this {
    const outcome = { result: 'ok', version } as const;
    return this.#add(span, { op: 'put', body: bodyOf(body), outcome });
  }

  putUnanswered(body: string, span: Span): this {
    return this.#add(span, { op: 'put', body: bodyOf(body), outcome: CUT });
  }

  putRefused(body: string, span: Span): this {
    const outcome = { result: 'refused', why: '403' } as const;
    return this.#add(span, { op: 'put', body: bodyOf(body), outcome });
  }

  /** @param marker - the version id of the delete marker that it made */
  delete(span: Span, marker?: string): this {
    const outcome = { result: 'ok', version: marker, marker: marker !== undefined } as const;
    return this.#add(span, { op: 'delete', outcome });
  }

  deleteUnanswered(span: Span): this {
    return this.#add(span, { op: 'delete', outcome: CUT });
  }

  remove(version: string, span: Span): this {
    return this.#add(span, { op: 'delete-version', version, outcome: { result: 'ok' } });
  }

  removeUnanswered(version: string, span: Span): this {
    return this.#add(span, { op: 'delete-version', version, outcome: CUT });
  }

  /** @param found - `v1=a`, or `m1` for a delete marker; undefined: 404 without one */
  get(span: Span, found?: string): this {
    return this.#add(span, { op: 'get', outcome: { result: 'ok', ...readResult(found) } });
  }

  getVersion(version: string, span: Span, found?: string): this {
    const outcome = { result: 'ok', ...readResult(found) } as const;
    return this.#add(span, { op: 'get', version, outcome });
  }

  list(span: Span, ...shown: readonly string[]): this {
    return this.#add(span, { op: 'list', outcome: { result: 'ok', entries: entries(...shown) } });
  }

  /** Ends as a history has to: with a listing, and a read of every version in it. */
  end(...shown: readonly string[]): Operation[] {
    this.list([10_000, 10_010], ...shown);
    for (const [index, entry] of shown.entries()) {
      const [version = '', body] = entry.split('=');
      const start = 10_020 + index * 10;
      if (body !== undefined) this.getVersion(version, [start, start + 5], entry);
    }
    return this.operations;
  }

  #add([start, end]: Span, input: OperationInput): this {
    this.operations.push({ ...input, client: 'c', key: 'key', start, end });
    return this;
  }
}

const CUT = { result: 'unknown', why: 'connection cut' } as const;

function readResult(found: string | undefined): ReadResult {
  if (found === undefined) return { found: 'nothing' };
  const [version = '', body] = found.split('=');
  const told = version === '-' ? undefined : version;
  if (body === undefined) return { found: 'delete-marker', version: told };
  return { found: 'version', version: told, body: bodyOf(body) };
}
