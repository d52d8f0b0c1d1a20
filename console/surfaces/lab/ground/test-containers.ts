import type { SwiftAccount, SwiftRequest } from '../../../swift/account.js';

/** Containers that runs of the Lab make for their own objects, in the account of their user. */

/** The header that tells them from those of people, with the page that made them. */
export const MARK = 'x-container-meta-lab';
const LISTING_BYTES_MAX = 256 * 1024;

/**
 * The names in a container, or of containers: the first thousand, unless the query says otherwise.
 * @param statuses - that are no error
 * @throws SwiftStatusError, UpstreamError
 */
export async function listedNames(
  account: SwiftAccount,
  { container, query }: Pick<SwiftRequest, 'container' | 'query'>,
  statuses: readonly number[] = [200, 204],
): Promise<string[]> {
  const request = {
    ...(container === undefined ? {} : { container }),
    query: { limit: 1000, ...query },
  };
  const { body } = await account.read(statuses, 'GET', request, LISTING_BYTES_MAX);
  return body.toString('utf8').split('\n').filter(Boolean);
}

/** Deletes objects and, if it is empty then, their container. */
export async function removeContainer(
  account: SwiftAccount,
  container: string,
  objects: readonly string[],
): Promise<void> {
  for (const object of new Set(objects)) {
    await account.do([204, 404], 'DELETE', { container, object });
  }
  await account.do([204, 404, 409], 'DELETE', { container });
}

/**
 * Containers that earlier runs have left.
 * @param name - the pattern of their names
 * @param page - that has marked them
 */
export async function formerContainers(
  account: SwiftAccount,
  prefix: string,
  name: RegExp,
  page: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const container of await listedNames(account, { query: { prefix, limit: 100 } })) {
    if (!name.test(container)) continue;
    const { headers } = await account.do([200, 204, 404], 'HEAD', { container });
    if (headers[MARK] === page) found.push(container);
  }
  return found;
}
