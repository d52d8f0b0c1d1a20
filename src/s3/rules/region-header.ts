import type { HeaderList } from '../../http/exchange.js';

/** The region that a bucket is in, which HeadBucket and listings tell. */
export function regionHeader(region: string): HeaderList {
  return [['x-amz-bucket-region', region]];
}
