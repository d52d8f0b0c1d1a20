import type { BackendError } from '../errors.js';
import { statusError, type SwiftCall } from './status-errors.js';
import type { SwiftMethod, SwiftRequest, SwiftResponse } from './transport.js';

/** Swift's own texts are a line or two; what is longer is of something in front of it. */
const TEXT_BYTES_MAX = 16_384;

/** An account, a container or an object. */
export type PathRef = Pick<SwiftRequest, 'account' | 'container' | 'object'>;

/** The error that an answer which is no outcome of the call stands for. */
export async function answerError(
  call: SwiftCall,
  method: SwiftMethod,
  { account, container, object }: PathRef,
  response: SwiftResponse,
): Promise<BackendError> {
  const path = [account, container, object].filter((each) => each !== undefined);
  const subject = `${method} ${path.join('/')}`;
  const { status, headers } = response;
  return statusError(call, status, subject, await textOf(response), headers.get('retry-after'));
}

/** Why a text cannot be read is of no interest beside what the status says. */
async function textOf(response: SwiftResponse): Promise<string> {
  try {
    return await response.text(TEXT_BYTES_MAX);
  } catch {
    return '';
  }
}
