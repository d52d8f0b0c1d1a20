import type { CallContext } from '../backend.js';
import { BackendError } from '../errors.js';
import { encodeUriComponentAws } from '../../lib/uri.js';
import { answerError, type PathRef } from './answer-error.js';
import type { SwiftTransport } from './transport.js';

/** Of a container or of the containers of an account; what is empty is not asked for. */
export interface ListingParameters {
  readonly prefix?: string;
  readonly delimiter?: string;
  /** Names behind this one. */
  readonly marker?: string;
  /** Names before this one. */
  readonly end_marker?: string;
  readonly limit: number;
}

/** An entry with the longest names, all of it escaped in JSON; the usual one has 200 bytes. */
const ENTRY_BYTES_MAX = 16_384;

/**
 * One request for a listing, parsed.
 * @returns undefined when there is no such container, or no such account
 */
export async function requestListing(
  transport: SwiftTransport,
  context: CallContext,
  ref: PathRef,
  parameters: ListingParameters,
): Promise<readonly unknown[] | undefined> {
  const response = await transport.request({
    context,
    method: 'GET',
    account: ref.account,
    container: ref.container,
    query: queryOf(parameters),
  });
  const { status } = response;
  if (status === 200) {
    return parsed(await response.text((parameters.limit + 1) * ENTRY_BYTES_MAX));
  }
  if (status !== 204 && status !== 404 && status !== 410) {
    throw await answerError(
      ref.container === undefined ? 'account' : 'container',
      'GET',
      ref,
      response,
    );
  }
  response.cancel();
  return status === 204 ? [] : undefined;
}

function queryOf(parameters: ListingParameters): string {
  let query = 'format=json';
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '' && value !== undefined)
      query += `&${name}=${encodeUriComponentAws(String(value))}`;
  }
  return query;
}

function parsed(text: string): readonly unknown[] {
  try {
    const listing: unknown = JSON.parse(text);
    if (Array.isArray(listing)) return listing;
  } catch {
    // As below.
  }
  throw new BackendError('Corrupt', 'a listing that is no JSON list');
}
