import { z } from 'zod';
import { UpstreamError } from '../../../swift/errors.js';
import type { Measure } from '../measure.js';
import type { SourceId } from '../panels/panel.js';

/** The measures of a source at one time. */
export interface Sampled {
  readonly measures: readonly Measure[];
  /** Panels that it could not measure though it answers, and why. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Somewhere that measures come from. */
export interface Sampler {
  readonly id: SourceId;
  readonly title: string;
  /** @throws SourceError when it does not answer, or makes no sense */
  sample(nowMs: number): Promise<Sampled>;
}

/** Why there is nothing from a source; worded for people, and without any address. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

const BY_KIND = {
  unavailable: 'not responding',
  timeout: 'timed out',
  invalid: 'invalid response',
} as const satisfies Readonly<Record<UpstreamError['kind'], string>>;

/** @returns what is to be thrown for a failure of a request */
export function sourceError(error: unknown): Error {
  if (error instanceof SourceError) return error;
  if (error instanceof UpstreamError) return new SourceError(BY_KIND[error.kind], { cause: error });
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) {
    return new SourceError(BY_KIND.timeout, { cause: error });
  }
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return new SourceError(BY_KIND.invalid, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** @throws SourceError for every status but 200 */
export function expectOk(status: number): void {
  if (status === 200) return;
  if (status === 401 || status === 403) throw new SourceError('it refuses the console');
  throw new SourceError(`it answers with status ${status}`);
}
