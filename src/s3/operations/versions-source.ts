import type { RequestContext } from '../operation.js';
import type { VersionsSource } from '../versions/listing/key-reader.js';
import { containerOf, ownerOf } from './refs.js';

/** The versions of a request's bucket, for those who go through them. */
export function versionsSource(context: RequestContext): VersionsSource {
  const { services, call } = context;
  const { backend, versions } = services;
  const { account, container: bucket } = containerOf(context);
  return {
    backend,
    call,
    account,
    bucket,
    readIndex: (ofCall, key) => versions.readIndex(ofCall, key),
    repairLink: (ofCall, key) => versions.repairLink(ofCall, key),
    owner: ownerOf(context),
  };
}
