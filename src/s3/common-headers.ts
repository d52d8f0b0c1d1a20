import type { HeaderList } from '../http/exchange.js';
import { hostId } from '../telemetry/request-id.js';

/** What every response carries. */
export function commonHeaders(requestId: string): HeaderList {
  return [
    ['x-amz-request-id', requestId],
    ['x-amz-id-2', hostId(requestId)],
    ['Server', 'Ringway'],
  ];
}
