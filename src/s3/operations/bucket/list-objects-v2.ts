import type { RequestContext, S3Response } from '../../operation.js';
import { encodeContinuationToken } from '../../rules/continuation-token.js';
import { parseListObjectsV2Query } from '../../rules/listing-query.js';
import { renderListBucketResultV2 } from '../../xml/list-bucket-result-v2.js';
import { ownerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';
import { pageContents, readObjectPage } from './object-page.js';

/** ListObjectsV2: the next page begins behind an opaque token. */
export async function listObjectsV2(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsV2Query(context.endpoint.query);
  const page = await readObjectPage(context, query);
  const owner = query.fetchOwner ? ownerOf(context) : undefined;
  const { contents, commonPrefixes, last } = pageContents(page, owner);
  return xmlResponse(
    renderListBucketResultV2({
      bucket: context.endpoint.bucket,
      query,
      contents,
      commonPrefixes,
      truncated: page.truncated,
      nextContinuationToken:
        page.truncated && last !== undefined ? encodeContinuationToken(last) : undefined,
    }),
  );
}
