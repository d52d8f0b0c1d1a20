import { S3Error } from '../../errors.js';

/**
 * The due-cold stamp of an object (SPEC.md 3.4): where it is on its way into the cold tier and back.
 * All times are milliseconds since the epoch.
 */
export interface ColdState {
  /** When the object was moved to its cold storage class. */
  readonly dueAt: number;
  /** The copy in the cold backend; undefined until there is one. */
  readonly copy?: { readonly policy: number; readonly id: string } | undefined;
  /** End of the restore window, open or over; undefined when there was none since the last release. */
  readonly restoredUntil?: number | undefined;
}

/** Renders the state for system metadata; equal states give equal texts. */
export function renderColdState({ dueAt, copy, restoredUntil }: ColdState): string {
  return JSON.stringify({
    due_at: dueAt,
    copy: copy && { policy: copy.policy, id: copy.id },
    restored_until: restoredUntil,
  });
}

/** @throws S3Error `InternalError` for what no gateway wrote: then nothing is decided on it */
export function parseColdState(text: string): ColdState {
  const { due_at: dueAt, copy, restored_until: restoredUntil } = parseObject(text);
  if (!isTime(dueAt) || (restoredUntil !== undefined && !isTime(restoredUntil))) {
    throw malformed(text);
  }
  if (copy === undefined) return { dueAt, restoredUntil };
  const { policy, id } = (copy ?? {}) as Readonly<Record<string, unknown>>;
  if (!isTime(policy) || typeof id !== 'string') throw malformed(text);
  return { dueAt, copy: { policy, id }, restoredUntil };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The problem is reported below.
  }
  throw malformed(text);
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function malformed(text: string): S3Error {
  const cause = new Error(`the due-cold stamp cannot be read: ${text.slice(0, 200)}`);
  return new S3Error('InternalError', undefined, {}, { cause });
}
