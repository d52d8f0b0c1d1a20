import type { ChildInit } from './protocol.js';

/** What `ringway store` does with the embedded store. */
export const STORE_ACTIONS = ['check', 'export', 'import', 'compact'] as const;
export type StoreAction = (typeof STORE_ACTIONS)[number];

/** What the supervisor sends the process of `ringway store`; the rest is as in janitor-command-protocol.ts. */
export interface StoreCommandInit extends Pick<ChildInit, 'options'> {
  readonly action: StoreAction;
  /** The export; undefined: stdout or stdin. */
  readonly file: string | undefined;
}
