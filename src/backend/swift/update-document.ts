import type { Metadata, MetadataPatch } from '../backend.js';
import { OWN, readSystemValue, systemMetadataHeaders } from './system-metadata.js';

/**
 * What was changed of an object since it was written. Swift fixes an object's system metadata with
 * its PUT; changes lie in the transient kind, as one document, and are applied on reading. A POST may
 * land on a newer object than it was made for: so the document says which one that was, and means
 * nothing for any other. A POST by any other client takes the document away, and with it the changes.
 */
export interface UpdateDocument {
  /** The data timestamp of the object, as the filter tells it. */
  readonly for: string;
  /** All changes since the PUT, in one. */
  readonly systemMetadata: MetadataPatch;
  /** In place of what overflowed at the PUT: see user-metadata.ts. */
  readonly metadata: Metadata;
}

export function updateDocumentHeaders(document: UpdateDocument): Record<string, string> {
  return systemMetadataHeaders('transient', { [OWN.update]: JSON.stringify(document) });
}

/** @returns undefined without one that was made for the object with this data timestamp */
export function readUpdateDocument(
  headers: ReadonlyMap<string, string>,
  dataTimestamp: string | undefined,
  kind: 'transient' | 'link_transient' = 'transient',
): UpdateDocument | undefined {
  const text = readSystemValue(headers, kind, OWN.update);
  if (text === undefined || text === '' || dataTimestamp === undefined) return undefined;
  const document = parsed(text);
  return document?.for === dataTimestamp ? document : undefined;
}

function parsed(text: string): UpdateDocument | undefined {
  try {
    return JSON.parse(text) as UpdateDocument;
  } catch {
    return undefined;
  }
}
