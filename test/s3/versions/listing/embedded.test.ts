import { expect } from 'chai';
import fc from 'fast-check';
import type { Backend, Metadata, ObjectRef } from '../../../../src/backend/backend.js';
import { openEmbeddedStore } from '../../../../src/backend/embedded/index.js';
import {
  hasVersions,
  readVersionsPage,
} from '../../../../src/s3/versions/listing/versions-page.js';
import {
  indexListingAttributes,
  LISTING_ATTRIBUTES,
} from '../../../../src/s3/versions/listing/index-summary.js';
import type { VersionsSource } from '../../../../src/s3/versions/listing/key-reader.js';
import {
  archiveContainer,
  currentRef,
  fenceRef,
  indexRef,
  versionRef,
} from '../../../../src/s3/versions/names.js';
import { NO_INDEX } from '../../../../src/s3/versions/version-entry.js';
import { useOnce } from '../../../support/fixture.js';
import { codeOf } from '../../../support/failure.js';
import { useTempFolderOnce } from '../../../support/temp-folder.js';
import { keyStates } from './arbitrary.js';
import {
  ACCOUNT,
  expectedVersions,
  FIRST_PAGE,
  isBehind,
  textOf,
  versionNames,
  type KeyState,
} from './support.js';

const CALL = { requestId: 'listing' };

describe('s3 versions: listing of an embedded store', () => {
  const directory = useTempFolderOnce('versions-listing');
  const store = useOnce<Backend>(() => openEmbeddedStore({ directory: directory() }), 'close');
  let buckets = 0;

  /** A bucket of its own for each run. */
  async function makeBucket(states: readonly KeyState[]): Promise<VersionsSource> {
    const bucket = `bucket-${++buckets}`;
    await store().createContainer(CALL, { account: ACCOUNT, container: bucket }, {});
    await store().createContainer(CALL, archiveContainer(ACCOUNT, bucket), {});
    const indexes = new Map(states.map(({ key, index }) => [key, index]));
    await Promise.all(states.map((state) => putState(bucket, state)));
    return {
      backend: store(),
      call: CALL,
      account: ACCOUNT,
      bucket,
      readIndex: (_, { key }) => Promise.resolve(indexes.get(key) ?? NO_INDEX),
      repairLink: () => Promise.resolve(),
    };
  }

  async function putState(bucket: string, state: KeyState): Promise<void> {
    const of = { account: ACCOUNT, bucket, key: state.key };
    const { index, fences, orphans, current } = state;
    for (let fence = 1; fence <= fences; fence++) await put(fenceRef(of, fence));
    for (const name of versionNames('orphan', orphans)) await put(versionRef(of, name));
    if (current === 'plain') await put(currentRef(of));
    if (index === undefined) return;
    for (const { name, kind } of index.entries) {
      if (kind === 'version') await put(versionRef(of, name));
    }
    await put(indexRef(of), indexListingAttributes(index));
    const [latest] = index.entries;
    if (current !== 'in_step' || latest?.kind !== 'version') return;
    const { container, object } = versionRef(of, latest.name);
    await store().putLink(CALL, currentRef(of), {
      target: { container, object },
      size: latest.size,
      etag: latest.etag,
      contentType: 'text/plain',
      listingAttributes: { [LISTING_ATTRIBUTES.generation]: String(index.generation) },
    });
  }

  async function put(ref: ObjectRef, listingAttributes: Metadata = {}): Promise<void> {
    const body = Buffer.from('body');
    const input = { size: body.length, contentType: 'text/plain', body, listingAttributes };
    await store().putObject(CALL, ref, input);
  }

  it('is the same as that of a bucket in memory', async () => {
    const query = fc.record({
      prefix: fc.constantFrom('', '', 'a', 'r'),
      delimiter: fc.constantFrom(undefined, '/', '"', 'a', '😀'),
      maxKeys: fc.constantFrom(1, 3, 1000),
    });
    const settled = keyStates.map((states) => states.filter((state) => !isBehind(state)));
    await fc.assert(
      fc.asyncProperty(settled, fc.array(query, { minLength: 8 }), async (states, queries) => {
        const source = await makeBucket(states);
        for (const asked of queries) {
          const shown: string[] = [];
          let position: { keyMarker: string; versionIdMarker: string } | undefined;
          position = { keyMarker: '', versionIdMarker: '' };
          while (position !== undefined) {
            const page = await readVersionsPage(source, { ...asked, ...position });
            shown.push(...page.entries.map(textOf));
            position = page.next;
          }
          expect(shown).to.deep.equal(expectedVersions(states, asked));
        }
        const isKept = states.some(({ index }) => (index?.entries.length ?? 0) > 0);
        expect(await hasVersions(source)).to.equal(isKept);
      }),
      { numRuns: 8 },
    );
  });

  it('fails without the bucket', async () => {
    const source = { ...(await makeBucket([])), bucket: 'nowhere' };
    for (const maxKeys of [0, 5]) {
      const page = readVersionsPage(source, { ...FIRST_PAGE, maxKeys });
      expect(await codeOf(page)).to.equal('NoSuchContainer');
    }
  });
});
