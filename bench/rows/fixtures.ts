import { bodyOf, KIB, MIB } from './bodies.js';

export type FixtureName = 'small' | 'large' | 'listing';

/** Objects that are there before a row begins, and that no row changes. */
export interface Fixture {
  readonly name: FixtureName;
  /** @param listKeys `--list-keys` */
  readonly count: (listKeys: number) => number;
  readonly key: (index: number, listKeys: number) => string;
  readonly body: (index: number) => Buffer;
  /** How many are written at a time. */
  readonly concurrency: number;
}

/** Folders that `list/` shows when it is listed with a delimiter. */
export const LIST_FOLDERS = 100;

export const LIST_PREFIX = 'list/';

const FIXTURES: Readonly<Record<FixtureName, Fixture>> = {
  small: {
    name: 'small',
    count: () => 1000,
    key: (index) => `small/${padded(index, 4)}`,
    body: (index) => bodyOf(KIB, index),
    concurrency: 32,
  },
  large: {
    name: 'large',
    count: () => 8,
    key: (index) => `large/${index}`,
    body: (index) => bodyOf(8 * MIB, index),
    concurrency: 2,
  },
  listing: {
    name: 'listing',
    count: (listKeys) => listKeys,
    /** The keys in the order of the listing. */
    key: (index, listKeys) => {
      const folder = Math.floor((index * LIST_FOLDERS) / listKeys);
      return `${LIST_PREFIX}${padded(folder, 3)}/${padded(index, 7)}`;
    },
    body: (index) => bodyOf(16, index),
    concurrency: 64,
  },
};

export function fixture(name: FixtureName): Fixture {
  return FIXTURES[name];
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
