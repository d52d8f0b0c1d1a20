import { once } from 'node:events';
import net from 'node:net';
import { formatAddress, type ListenAddress } from '../src/config/options.js';
import { Failure } from './exit-codes.js';
import { listenerOf } from './port-holder.js';

/** The kernel's errors, in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'not permitted; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be resolved now',
};

/** Flags that win over the key of an address. */
const FLAGS: Readonly<Record<string, string>> = {
  s3_listen: '--s3',
  admin_listen: '--admin',
  console_listen: '--console',
  store_listen: '--store',
};

/**
 * Has a server listen on an address that it shares with no other.
 * @param key - the configuration key that names the address
 * @returns where it listens
 * @throws Failure `listen`
 */
export async function listenAlone(
  server: net.Server,
  key: string,
  address: ListenAddress,
): Promise<ListenAddress> {
  const { host } = address;
  try {
    server.listen({ ...address, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? inUse(key, address) : (REASONS[code] ?? message);
    const told = `${key}: cannot listen on ${formatAddress(address)}: ${reason}`;
    throw new Failure('listen', told, { cause: error });
  }
  return { host, port: (server.address() as net.AddressInfo).port };
}

/** The process that listens there, and the flag that takes another address. */
function inUse(key: string, { port }: ListenAddress): string {
  const flag = FLAGS[key];
  const way = flag === undefined ? '' : `; ${flag} ADDRESS:PORT takes another`;
  return `${listenerOf(port) ?? 'something else'} listens there${way}`;
}

/**
 * Finds out whether an address can be listened on, before anything is started: sockets that share
 * a port (SO_REUSEPORT) do not notice each other, but one that does not share notices any.
 * @returns the address, with a free port where it had 0, so that all listeners take the same
 * @throws Failure `listen`
 */
export async function claimAddress(key: string, address: ListenAddress): Promise<ListenAddress> {
  const held = await holdAddress(key, address);
  await held.release();
  return held.address;
}

export interface HeldAddress {
  readonly address: ListenAddress;
  readonly release: () => Promise<void>;
}

/** Like {@link claimAddress}, but no other process gets the address before it is released. */
export async function holdAddress(key: string, address: ListenAddress): Promise<HeldAddress> {
  const server = net.createServer();
  const held = await listenAlone(server, key, address);
  const release = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { address: held, release };
}
