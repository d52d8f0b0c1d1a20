import type { ByteSource } from '../../lib/byte-source.js';

/**
 * A body that is known only when some long work is done, with a sign of life now and then, so that
 * neither client nor proxy gives up: blanks, which its readers pass over.
 *
 * @param work - begun by whoever reads the body; must not reject
 * @param eager - whether the first blank goes out at once, and the status with it
 */
export async function* longAnswer(
  work: () => Promise<string>,
  { heartbeatMs, eager, first = ' ' }: LongAnswerOptions,
): AsyncGenerator<Buffer, void> {
  const running = work();
  let blank = first;
  let spoken = eager;
  if (eager) {
    yield Buffer.from(blank);
    blank = ' ';
  }
  for (;;) {
    const outcome = await orTimeout(running, heartbeatMs);
    if (outcome !== undefined) {
      yield Buffer.from((spoken ? '\r\n\r\n' : '') + outcome);
      return;
    }
    yield Buffer.from(blank);
    blank = ' ';
    spoken = true;
  }
}

export interface LongAnswerOptions {
  readonly heartbeatMs: number;
  readonly eager: boolean;
  /** What the first sign of life is; of XML its declaration. */
  readonly first?: string;
}

export type LongBody = ByteSource;

async function orTimeout(work: Promise<string>, ms: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
