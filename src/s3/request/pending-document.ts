import type { ByteSource } from '../../lib/cancellation.js';
import type { HeaderList } from '../../http/exchange.js';
import { xmlRoot } from '../xml/escape.js';

/**
 * An XML answer that may take minutes. Clients and proxies give up on a connection that is silent,
 * so that it is kept alive the way AWS does: status 200 and the XML declaration at once, white
 * space while the work goes on, and then the document, or an `<Error>` in its place.
 */
export interface PendingDocument {
  /** The first line of the document. */
  readonly declaration: string;
  /** The whole document, with that declaration. */
  readonly document: Promise<string | SettledDocument>;
}

/** A document with what is only known when the work is done. */
export interface SettledDocument {
  readonly document: string;
  /** Sent when the answer has not begun before. */
  readonly headers: HeaderList;
}

export interface SettledBody {
  readonly body: string | ByteSource;
  readonly headers: HeaderList;
}

export interface Patience {
  /** Documents that fail or end within this time are answered as usual, with their own status. */
  readonly silenceMs: number;
  /** Between two pieces of white space. */
  readonly intervalMs: number;
}

/** Clients wait 60 s by default, proxies 30 s and more. */
const PATIENCE: Patience = { silenceMs: 4_000, intervalMs: 4_000 };

const WHITE_SPACE = Buffer.from('\n');

/**
 * @param failed makes the document of a late error, which has to be XML 1.0
 * @returns the document, or a stream when it takes longer
 * @throws what the document's promise rejects with, unless that is late
 */
export async function settleOrStream(
  pending: PendingDocument,
  failed: (error: unknown) => string,
  patience: Patience = PATIENCE,
): Promise<SettledBody> {
  const settled = await within(pending.document, patience.silenceMs);
  if (settled === undefined) return { body: keptAlive(pending, failed, patience), headers: [] };
  const { value } = settled;
  return typeof value === 'string'
    ? { body: value, headers: [] }
    : { body: value.document, headers: value.headers };
}

async function* keptAlive(
  { declaration, document }: PendingDocument,
  failed: (error: unknown) => string,
  { intervalMs }: Patience,
): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(declaration);
  const outcome = document.then(
    (value) => xmlRoot(typeof value === 'string' ? value : value.document),
    (error: unknown) => xmlRoot(failed(error)),
  );
  for (;;) {
    const settled = await within(outcome, intervalMs);
    if (settled !== undefined) {
      yield Buffer.from(settled.value);
      return;
    }
    yield WHITE_SPACE;
  }
}

/** @returns undefined when it takes longer; a later rejection is then ignored */
async function within<T>(
  promise: Promise<T>,
  limitMs: number,
): Promise<{ readonly value: T } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined);
  });
  try {
    return await Promise.race([promise.then((value) => ({ value })), limit]);
  } finally {
    clearTimeout(timer);
  }
}
