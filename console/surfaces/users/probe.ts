import { setTimeout as sleep } from 'node:timers/promises';
import { CredentialsRefusedError } from '../../swift/errors.js';
import { swiftLogin } from '../../swift/login.js';
import { Upstream } from '../../swift/upstream.js';
import { NodeError } from './proxy-node.js';

export interface ProbeOptions {
  readonly port: number;
  /** The path of the login: that of `auth_url`. */
  readonly authPath: string;
  /** How long a proxy may take until it is as it should be. */
  readonly timeoutMs: number;
}

/** The user that a proxy has to know, or not to know any more. */
export interface Expected {
  readonly name: string;
  readonly key: string;
  readonly isKnown: boolean;
}

const HEALTH_PATH = '/healthcheck';
const PAUSE_MS = 250;
const IDLE_MS = 5000;

/** Asks one proxy, past whatever balances their load. */
export class ProxyProbe {
  constructor(private readonly options: ProbeOptions) {}

  /**
   * Waits until a proxy is well and knows its users as they should be: one that reloads refuses
   * connections for a moment, and one that reads its users again by itself takes a while.
   * @throws NodeError when it does not come to that
   */
  async settle(host: string, expected: Expected): Promise<void> {
    const { port, authPath, timeoutMs } = this.options;
    const address = { secure: false, host, port };
    const health = new Upstream({ ...address, basePath: '' });
    const auth = new Upstream({ ...address, basePath: authPath });
    const until = performance.now() + timeoutMs;
    try {
      for (;;) {
        const problem = (await isWell(health))
          ? await knows(auth, expected)
          : 'The proxy is not healthy.';
        if (problem === '') return;
        if (performance.now() >= until) throw new NodeError(host, undefined, problem);
        await sleep(PAUSE_MS);
      }
    } finally {
      health.close();
      auth.close();
    }
  }
}

async function isWell(proxy: Upstream): Promise<boolean> {
  try {
    const { status, body } = await proxy.send({
      method: 'GET',
      rawPath: HEALTH_PATH,
      idleMs: IDLE_MS,
    });
    body.resume();
    return status === 200;
  } catch {
    return false;
  }
}

/** @returns what is wrong; empty for nothing */
async function knows(auth: Upstream, { name, key, isKnown }: Expected): Promise<string> {
  try {
    await swiftLogin(auth, name, key);
    return isKnown ? '' : 'The user can still log in on this proxy.';
  } catch (error) {
    if (!(error instanceof CredentialsRefusedError)) return 'Logging in on this proxy failed.';
    return isKnown ? 'The user cannot log in on this proxy.' : '';
  }
}
