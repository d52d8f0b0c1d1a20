import type { FilledOptions, ListenAddress } from '../src/config/options.js';
import { holdAddress, type HeldAddress } from './addresses.js';
import { Failure } from './exit-codes.js';

/** The addresses of the service, with real ports. */
export type Addresses = Pick<
  FilledOptions,
  's3Listen' | 'adminListen' | 'storeListen' | 'consoleListen'
>;

/**
 * Finds out whether all addresses of a start can be listened on. All are held until the last one is
 * known, so that no free port is given out twice.
 * @returns `consoleProblem`: why the console's cannot. S3 does not depend on it, and what holds the
 *   address may go away: its process tries again.
 * @throws Failure `listen` for any other
 */
export async function claimAddresses(
  options: FilledOptions,
): Promise<Addresses & { readonly consoleProblem: string | undefined }> {
  const { backend, s3Listen, adminListen, consoleListen } = options;
  const storeListen = backend === 'embedded' ? options.storeListen : '';
  const held: HeldAddress[] = [];
  const claim = async (key: string, address: ListenAddress): Promise<ListenAddress> => {
    const one = await holdAddress(key, address);
    held.push(one);
    return one.address;
  };
  let consoleProblem: string | undefined;
  const claimConsole = async (address: ListenAddress): Promise<ListenAddress> => {
    try {
      return await claim('console_listen', address);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      consoleProblem = error.message;
      return address;
    }
  };
  try {
    const addresses = {
      s3Listen: await claim('s3_listen', s3Listen),
      adminListen: await claim('admin_listen', adminListen),
      storeListen: storeListen === '' ? storeListen : await claim('store_listen', storeListen),
      consoleListen: consoleListen === '' ? consoleListen : await claimConsole(consoleListen),
    };
    return { ...addresses, consoleProblem };
  } finally {
    await Promise.all(held.map(({ release }) => release()));
  }
}
