import type { ChildInit } from './protocol.js';

/** The actions of `ringway store` on the embedded store. */
export const STORE_ACTIONS = ['check', 'export', 'import', 'compact'] as const;
export type StoreAction = (typeof STORE_ACTIONS)[number];

/** The order to the process of `ringway store`; the rest is as in janitor-command-protocol.ts. */
export interface StoreOrder {
  readonly action: StoreAction;
  /** Where an export goes or comes from; undefined: stdout or stdin. */
  readonly file: string | undefined;
}

export type StoreCommandInit = Pick<ChildInit, 'options'> & StoreOrder;
