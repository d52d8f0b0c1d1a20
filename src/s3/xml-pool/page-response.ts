import type { HeaderList } from '../../http/exchange.js';
import { containerOf, xmlResponse, type RequestContext, type S3Response } from '../operation.js';
import type { PageName, PageParameters } from '../pages/index.js';
import type { ListedBucket, PageSource } from '../pages/page-source.js';

/** A page of a listing, read and rendered where its size wants it. @throws as `PagePool.render` */
export async function pageResponse<Name extends PageName>(
  context: RequestContext,
  name: Name,
  parameters: PageParameters<Name>,
  headers?: HeaderList,
): Promise<S3Response> {
  const { call, services } = context;
  const { backend, pages, versions } = services;
  const source: PageSource = {
    backend,
    call,
    readIndex: (ofCall, key) => versions.readIndex(ofCall, key),
    repairLink: (ofCall, key) => versions.repairLink(ofCall, key),
  };
  return xmlResponse(await pages.render(name, source, parameters), headers);
}

/** The bucket that a request lists. */
export function listedBucket(context: RequestContext): ListedBucket {
  const { account, container: bucket } = containerOf(context);
  return { account, bucket };
}
