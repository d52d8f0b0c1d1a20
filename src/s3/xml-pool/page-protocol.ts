import type { MessagePort } from 'node:worker_threads';
import type { Capabilities, ContainerRef, ObjectPage, ObjectQuery } from '../../backend/backend.js';
import type { UnreadPage } from '../../backend/unread-page.js';
import type { CarriedError } from './carried-error.js';
import type { PageName } from '../pages/index.js';
import type { TimedAnswer } from './pool-thread.js';
import type { VersionedKey } from '../versions/names.js';
import type { VersionIndex } from '../versions/version-entry.js';

/** The messages between the event loop and the thread for pages. */

export interface PageTask {
  readonly name: PageName;
  /** The parameters of that page. */
  readonly parameters: unknown;
  readonly requestId: string;
  readonly capabilities: Capabilities;
  /** Listings that the loop has asked for already, by {@link listingKey}. */
  readonly listings: ReadonlyMap<string, ObjectPage | UnreadPage>;
  /** Where to ask the loop for more; absent where one listing is all that the page needs. */
  readonly port: MessagePort | undefined;
  /** A piece of scratch memory that is not in use, for the document. */
  readonly memory: ArrayBuffer | undefined;
}

/** A document in memory that is moved to the loop. */
export interface MadePage {
  readonly memory: ArrayBuffer;
  readonly start: number;
  readonly length: number;
}

export type PageAnswer = TimedAnswer & (MadePage | { readonly error: CarriedError });

/** The question of a thread to the loop: one call of the store, or of the versions. */
export type LoopCall =
  | { readonly method: 'listObjects'; readonly ref: ContainerRef; readonly query: ObjectQuery }
  | { readonly method: 'headContainer'; readonly ref: ContainerRef }
  | { readonly method: 'readIndex' | 'repairLink'; readonly of: VersionedKey };

export interface LoopQuestion {
  readonly id: number;
  readonly call: LoopCall;
}

export type LoopReply = { readonly id: number } & (
  | { readonly result: ObjectPage | UnreadPage | VersionIndex | object | undefined }
  | { readonly error: CarriedError }
);

/** Two listings with the same key are the same listing. */
export function listingKey({ container }: ContainerRef, query: ObjectQuery): string {
  const { prefix, delimiter, marker, limit } = query;
  return JSON.stringify([container, prefix, delimiter, marker, limit]);
}
