import type { Backend } from '../backend/backend.js';
import type { HttpServer } from '../http/server.js';
import { messageOf } from '../lib/error-message.js';
import { StartError } from './child.js';
import type { HealthCheck } from './protocol.js';

/** The longest timer there is: the supervisor ends a drain that takes too long. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** The part of a child's service that its HTTP server carries out. */
export abstract class HttpChild {
  constructor(private readonly server: HttpServer) {}

  /** @throws StartError `listen` */
  async begin(): Promise<void> {
    try {
      await this.server.listen();
    } catch (error) {
      throw new StartError('listen', messageOf(error), { cause: error });
    }
  }

  standAside(): Promise<boolean> {
    return this.server.separate();
  }

  resume(): Promise<void> {
    return this.server.rejoin();
  }

  async drain(handedOver: boolean): Promise<void> {
    const { server } = this;
    await (handedOver ? server.drainHandedOver(NO_LIMIT_MS) : server.drain(NO_LIMIT_MS));
  }
}

export async function probeStore(store: Backend): Promise<HealthCheck> {
  try {
    await store.ping({ requestId: 'probe' });
    return { name: 'backend', ok: true };
  } catch (error) {
    return { name: 'backend', ok: false, detail: String(error) };
  }
}
