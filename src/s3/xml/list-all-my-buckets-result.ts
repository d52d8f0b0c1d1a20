import { formatIsoDate } from '../rules/dates.js';
import { element, optionalElement, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';
import { renderOwner, type Owner } from './owner.js';

export interface ListAllMyBucketsResult {
  readonly owner: Owner;
  readonly buckets: readonly {
    readonly name: string;
    /** Milliseconds since the epoch. */
    readonly createdAt: number;
  }[];
  /** The region of all buckets; left out of each when undefined. */
  readonly region?: string | undefined;
  /** The prefix as asked for; left out when the request gave none. */
  readonly prefix?: string | undefined;
  /** The start of the next page; left out on the last one. */
  readonly continuationToken?: string | undefined;
}

/** The answer of ListBuckets. */
export function renderListAllMyBucketsResult(result: ListAllMyBucketsResult): string {
  const region = optionalElement('BucketRegion', result.region);
  let buckets = '';
  for (const { name, createdAt } of result.buckets) {
    const date = formatIsoDate(createdAt);
    buckets += `<Bucket>${element('Name', name)}<CreationDate>${date}</CreationDate>${region}</Bucket>`;
  }
  return xmlDocument(
    `<ListAllMyBucketsResult xmlns="${S3_NAMESPACE}">${renderOwner(result.owner)}` +
      `<Buckets>${buckets}</Buckets>` +
      optionalElement('ContinuationToken', result.continuationToken) +
      `${optionalElement('Prefix', result.prefix)}</ListAllMyBucketsResult>`,
  );
}
