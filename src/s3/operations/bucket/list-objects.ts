import type { RequestContext, S3Response } from '../../operation.js';
import { parseListObjectsQuery } from '../../rules/listing-query.js';
import { renderListBucketResult } from '../../xml/list-bucket-result.js';
import { ownerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';
import { pageContents, readObjectPage } from './object-page.js';

/** ListObjects, version 1: the next page begins behind a name. Every entry shows its owner. */
export async function listObjects(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsQuery(context.endpoint.query);
  const page = await readObjectPage(context, query);
  const { contents, commonPrefixes, last } = pageContents(page, ownerOf(context));
  return xmlResponse(
    renderListBucketResult({
      bucket: context.endpoint.bucket,
      query,
      contents,
      commonPrefixes,
      truncated: page.truncated,
      nextMarker: last,
    }),
  );
}
