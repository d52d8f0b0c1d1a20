import type { CarriedError } from './carried-error.js';
import type { TimedAnswer } from './pool-thread.js';
import type { DocumentName } from './documents.js';

/** The messages between the event loop and the XML thread. */
export interface ParseTask {
  readonly name: DocumentName;
  /** Moved to the thread, not copied a second time. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Plain data; the settings of the document's parser. */
  readonly settings: readonly unknown[];
}

/**
 * A refused document is an answer and not an exception, so that a rejected task always means that
 * the thread itself is gone, and so that the error's code survives.
 */
export type ParseAnswer = ParseResult & TimedAnswer;

export type ParseResult =
  /**
   * The result as JSON: the event loop reads it in a third of the time that a structured clone
   * takes.
   */
  { readonly json: string } | { readonly error: CarriedError };
