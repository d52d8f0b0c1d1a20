import type { RequestContext, S3Response } from '../../operation.js';
import { encodeContinuationToken } from '../../rules/continuation-token.js';
import { parseListBucketsQuery } from '../../rules/listing-query.js';
import { isValidBucketName } from '../../rules/bucket-name.js';
import { renderListAllMyBucketsResult } from '../../xml/list-all-my-buckets-result.js';
import { ownerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';

/**
 * ListBuckets: the signer's account. Containers whose names no bucket can have, such as the
 * companions `<bucket>+segments` and `<bucket>+versions`, are left out, so that a page may hold
 * fewer than asked for and still be followed by another.
 */
export async function listBuckets(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  const query = parseListBucketsQuery(context.endpoint.query);
  const page = await backend.listContainers(context.call, context.principal.account, {
    prefix: query.prefix,
    marker: query.marker === '' ? undefined : query.marker,
    limit: query.maxBuckets,
  });
  const elsewhere = query.bucketRegion !== undefined && query.bucketRegion !== settings.region;
  const last = page.containers.at(-1)?.name;
  return xmlResponse(
    renderListAllMyBucketsResult({
      owner: ownerOf(context),
      buckets: elsewhere ? [] : page.containers.filter(({ name }) => isValidBucketName(name)),
      prefix: context.endpoint.query.get('prefix'),
      continuationToken:
        page.truncated && last !== undefined ? encodeContinuationToken(last) : undefined,
    }),
  );
}
