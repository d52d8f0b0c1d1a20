import type { Document } from '../xml/document-bytes.js';
import { renderObjects, renderObjectsV2 } from './objects.js';
import type { PageSource } from './page-source.js';
import { renderParts, renderUploads } from './uploads.js';
import { renderVersions } from './versions.js';

/**
 * The answers of listings, read from a store and rendered: the event loop and the thread for long
 * pages make them by the same table, and so byte for byte the same.
 */
export const PAGES = {
  ListObjects: renderObjects,
  ListObjectsV2: renderObjectsV2,
  ListObjectVersions: renderVersions,
  ListMultipartUploads: renderUploads,
  ListParts: renderParts,
} as const;

/** Pages of one listing: a thread that has it needs nothing else. */
export const PAGES_OF_ONE_LISTING: ReadonlySet<PageName> = new Set<PageName>([
  'ListObjects',
  'ListObjectsV2',
]);

export type PageName = keyof typeof PAGES;

/** The parameters of a page: plain data that can be posted. */
export type PageParameters<Name extends PageName> = Parameters<(typeof PAGES)[Name]>[1];

/** Makes a page here and now. @throws S3Error, BackendError */
export function renderPage<Name extends PageName>(
  name: Name,
  source: PageSource,
  parameters: PageParameters<Name>,
): Promise<Document> {
  const render = PAGES[name] as (
    source: PageSource,
    parameters: PageParameters<Name>,
  ) => Promise<Document>;
  return render(source, parameters);
}
