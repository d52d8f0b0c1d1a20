import type { Dialect } from '../dialects/dialect.js';
import { exchangeAll, fetchBody } from '../load/unmeasured.js';
import { bodyOf } from '../rows/bodies.js';
import { placesIn, type GrowthStudy } from './growth.js';

const BODY_BYTES = 64;
const PAGE_VERSIONS = 1000;
const PAGES = 16;
const FILL_CLIENTS = 16;

/** The least number of versions, on as many keys as needed: each measured operation adds one. */
const VERSIONS_MIN = 2000;
const PUTS_IN_SLICE = 400;

/** Keys that get more and more versions: new ones for each size. */
export function growingVersions(): GrowthStudy {
  return {
    study: 'versions',
    title: 'A key gets versions',
    unit: 'versions',
    grow: async ({ dialect, bucket }, size) => {
      await fetchBody(dialect, dialect.enableVersions(bucket));
      const puts = function* () {
        for (let version = 0; version < size; version++)
          for (const key of keysOf(size))
            yield dialect.put(bucket, key, bodyOf(BODY_BYTES, 0), true);
      };
      // Writers of one key wait for each other.
      await exchangeAll(dialect, Math.min(FILL_CLIENTS, keysOf(size).length), puts());
    },
    operations: [
      {
        operation: 'list-versions',
        title: 'a page of 1000 versions of one key',
        prepare: async ({ dialect, bucket }, size) => {
          const [key = ''] = keysOf(size);
          const ids = await versionIds(dialect, bucket, key, size);
          const markers = placesIn(Math.max(1, ids.length - PAGE_VERSIONS), PAGES);
          return markers.map((place) => {
            const expected = Math.min(PAGE_VERSIONS, ids.length - 1 - place);
            const check = (body: Buffer) => pageProblem(body, expected);
            return dialect.list(pageBehind(bucket, key, ids[place]), check);
          });
        },
      },
      {
        operation: 'get',
        title: 'GET of the current version',
        prepare: ({ dialect, bucket }, size) =>
          keysOf(size).map((key) => dialect.get(bucket, key, bodyOf(BODY_BYTES, 0))),
      },
      {
        operation: 'put',
        title: 'PUT of one version more',
        operationsMax: PUTS_IN_SLICE,
        prepare: ({ dialect, bucket }, size) =>
          keysOf(size).map((key) => dialect.put(bucket, key, bodyOf(BODY_BYTES, 0), true)),
      },
    ],
  };
}

function keysOf(size: number): string[] {
  const count = Math.max(1, Math.round(VERSIONS_MIN / size));
  return Array.from({ length: count }, (_, i) => `of-${size}/${String(i).padStart(5, '0')}`);
}

function pageBehind(bucket: string, key: string, version: string | undefined) {
  const query = { bucket, prefix: key, keysMax: PAGE_VERSIONS, versions: true };
  return version === undefined ? query : { ...query, startAfter: key, versionIdMarker: version };
}

async function versionIds(
  dialect: Dialect,
  bucket: string,
  key: string,
  size: number,
): Promise<string[]> {
  const found: string[] = [];
  while (found.length < size) {
    const query = pageBehind(bucket, key, found.at(-1));
    const body = await fetchBody(
      dialect,
      dialect.list(query, () => undefined),
    );
    const more = dialect.readPage(body).versionIds;
    if (more.length === 0) throw new Error(`${key} has ${found.length} versions, expected ${size}`);
    found.push(...more);
  }
  return found;
}

function pageProblem(body: Buffer, expected: number): string | undefined {
  const found = body.toString('latin1').split('<VersionId>').length - 1;
  return found === expected ? undefined : `the page has ${found} versions, not ${expected}`;
}
