import type { Metadata, MetadataPatch, ObjectHead, UpdatePrecondition } from './backend.js';

/** Whether an object is what an update must find; without a precondition any is. */
export function meets(
  { etag, lastModified, systemMetadata }: ObjectHead,
  precondition: UpdatePrecondition | undefined,
): boolean {
  if (precondition === undefined) return true;
  if (etag !== precondition.etag || lastModified !== precondition.lastModified) return false;
  return hasValues(systemMetadata, precondition.systemMetadata ?? {});
}

function hasValues(values: Metadata, wanted: MetadataPatch): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const current = Object.hasOwn(values, name) ? values[name] : undefined;
    return current === (value ?? undefined);
  });
}
