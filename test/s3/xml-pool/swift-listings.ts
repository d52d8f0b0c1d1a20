import type { Backend, ContainerRef, ListingEntry } from '../../../src/backend/backend.js';
import { openSwiftBackend } from '../../../src/backend/swift/index.js';
import { formatIsoDate } from '../../../src/s3/rules/dates.js';
import { ScriptedTransport } from '../../backend/swift/support/scripted-transport.js';

/** The Swift backend in front of a cluster that lists what another store has, in Swift's JSON. */
export function swiftListingsOf(store: Backend): Promise<Backend> {
  const transport = new ScriptedTransport(async ({ account, container = '', query = '' }) => {
    const asked = new URLSearchParams(query);
    const ref: ContainerRef = { account, container };
    const page = await store.listObjects({ requestId: 'listing' }, ref, {
      prefix: asked.get('prefix') ?? '',
      delimiter: asked.get('delimiter') ?? '',
      marker: asked.get('marker') ?? '',
      limit: Number(asked.get('limit')),
    });
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return { status: 200, headers, body: JSON.stringify(page.entries.map(asListed)) };
  });
  return openSwiftBackend({ transport, containerCacheMs: 0 });
}

/** As Swift's container servers show it; see src/backend/swift/listed-page.ts for the hash. */
function asListed(entry: ListingEntry): object {
  if (entry.kind === 'prefix') return { subdir: entry.prefix };
  const { name, size, etag, lastModified, contentType, attributes } = entry.object;
  const parameters = Object.entries(attributes).map(([key, value]) => `; rw_${key}=${value}`);
  return {
    name,
    bytes: size,
    hash: etag + parameters.join(''),
    content_type: contentType,
    last_modified: formatIsoDate(lastModified).replace('Z', '000'),
  };
}
