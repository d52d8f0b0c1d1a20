import type { ListedEntry } from '../history/operation.js';
import type { VersionsPage } from './versions-document.js';

/** A client of a race, whatever it talks to; it records all that it does and is told. */
export interface Racer {
  readonly name: string;
  put(key: string, body: Buffer): Promise<void>;
  delete(key: string): Promise<void>;
  deleteVersion(key: string, version: string): Promise<void>;
  /** @returns whether there was an answer */
  read(op: 'get' | 'head', key: string, version?: string): Promise<boolean>;
  /** @returns the entries of the key, newest first; undefined when there was no answer */
  listKey(key: string): Promise<readonly ListedEntry[] | undefined>;
  /**
   * Lists a page and records all that it tells of these keys: which of them it shows whole, and
   * which not at all although it passes them.
   *
   * @param query - parameters of ListObjectVersions, not encoded
   */
  listPage(
    query: Readonly<Record<string, string>>,
    keys: readonly string[],
  ): Promise<VersionsPage | undefined>;
}
