import { KIB, MIB } from './bodies.js';
import type { Row } from './row.js';
import {
  deleteSmall,
  getLarge,
  getRange,
  getSmall,
  getVersioned,
  headSmall,
  listFolders,
  listPages,
  mixed,
  multiDelete,
  multipart,
  putLarge,
  putSmall,
  putVersionedKnown,
  putVersionedNew,
  putVersionedShared,
} from './workloads.js';

const MANY = { first: 2000, max: 60_000 };

/** Most rows have these. */
const USUAL = { quickConcurrency: [16], needs: [], fixtures: [], bytes: 0 };

type GivenRow = Omit<Row, keyof typeof USUAL> & Partial<Row>;

const TABLE: readonly GivenRow[] = [
  {
    name: 'put-1k',
    title: 'PUT 1 KiB',
    concurrency: [1, 16, 64],
    quickConcurrency: [64],
    bytes: KIB,
    prepared: MANY,
    prepare: putSmall,
  },
  {
    name: 'get-1k',
    title: 'GET 1 KiB',
    concurrency: [1, 16, 64],
    fixtures: ['small'],
    bytes: KIB,
    prepare: getSmall,
  },
  {
    name: 'head-1k',
    title: 'HEAD 1 KiB',
    concurrency: [1, 16, 64],
    fixtures: ['small'],
    prepare: headSmall,
  },
  {
    name: 'delete-1k',
    title: 'DELETE 1 KiB',
    concurrency: [16, 64],
    prepared: { first: 1000, max: 30_000 },
    prepare: deleteSmall,
  },
  {
    name: 'put-8m',
    title: 'PUT 8 MiB, signed payload',
    concurrency: [1, 16],
    bytes: 8 * MIB,
    prepare: putLarge(true),
  },
  {
    name: 'put-8m-unsigned',
    title: 'PUT 8 MiB, unsigned payload',
    concurrency: [1, 16],
    needs: ['payload-signing'],
    bytes: 8 * MIB,
    prepare: putLarge(false),
  },
  {
    name: 'get-8m',
    title: 'GET 8 MiB',
    concurrency: [1, 16],
    fixtures: ['large'],
    bytes: 8 * MIB,
    prepare: getLarge,
  },
  {
    name: 'get-range',
    title: 'GET 64 KiB out of 8 MiB',
    concurrency: [16],
    fixtures: ['large'],
    bytes: 64 * KIB,
    prepare: getRange,
  },
  {
    name: 'list-1000',
    title: 'List 1000 keys',
    concurrency: [1, 16],
    needs: ['list'],
    fixtures: ['listing'],
    prepare: listPages,
  },
  {
    name: 'list-delimiter',
    title: 'List 100 folders (delimiter)',
    concurrency: [16],
    needs: ['list'],
    fixtures: ['listing'],
    prepare: listFolders,
  },
  {
    name: 'multi-delete',
    title: 'Delete 1000 keys in one request',
    concurrency: [1],
    quickConcurrency: [1],
    needs: ['multi-delete'],
    prepared: { first: 2, max: 8 },
    prepare: multiDelete,
  },
  {
    name: 'multipart-64m',
    title: 'Multipart upload, 64 MiB in 8 parts',
    concurrency: [1, 4],
    quickConcurrency: [4],
    needs: ['multipart'],
    bytes: 64 * MIB,
    prepare: multipart,
  },
  {
    name: 'head-beside-uploads',
    title: 'HEAD 1 KiB beside 16 uploads of 8 MiB',
    concurrency: [1],
    quickConcurrency: [1],
    fixtures: ['small'],
    prepare: headSmall,
    beside: { clients: 16, bytes: 8 * MIB, prepare: putLarge(true) },
  },
  {
    name: 'head-beside-lists',
    title: 'HEAD 1 KiB beside 16 clients that list 1000 keys',
    concurrency: [1],
    quickConcurrency: [1],
    needs: ['list'],
    fixtures: ['small', 'listing'],
    prepare: headSmall,
    beside: { clients: 16, bytes: 0, prepare: listPages },
  },
  {
    name: 'mixed',
    title: 'Mixed: 60 GET, 20 PUT, 15 HEAD, 5 list',
    concurrency: [16, 64],
    needs: ['list'],
    fixtures: ['small', 'listing'],
    prepared: MANY,
    prepare: mixed,
  },
  {
    name: 'put-versioned-new',
    title: 'PUT 1 KiB, the first version of a key',
    concurrency: [16],
    needs: ['versions'],
    bytes: KIB,
    prepared: MANY,
    prepare: putVersionedNew,
  },
  {
    name: 'put-versioned-known',
    title: 'PUT 1 KiB, a further version of a key of the same client',
    concurrency: [16],
    needs: ['versions'],
    bytes: KIB,
    prepare: putVersionedKnown,
  },
  {
    name: 'put-versioned-shared',
    title: 'PUT 1 KiB, a further version of a key of all clients',
    concurrency: [16],
    needs: ['versions'],
    bytes: KIB,
    prepare: putVersionedShared,
  },
  {
    name: 'get-versioned',
    title: 'GET 1 KiB, the current one of two versions',
    concurrency: [16],
    needs: ['versions'],
    bytes: KIB,
    prepare: getVersioned,
  },
];

/** All rows, in the order in which they run. */
export const ROWS: readonly Row[] = TABLE.map((row) => ({ ...USUAL, ...row }));

/** @throws Error for a name that is not in the table */
export function rowNamed(name: string): Row {
  const row = ROWS.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no row is called ${name}`);
  return row;
}
