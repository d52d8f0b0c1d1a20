import { setTimeout as delay } from 'node:timers/promises';
import type { ControlCommand } from './control-protocol.js';
import { Failure } from './exit-codes.js';
import type { Service } from './service.js';
import { Signal } from './signal.js';
import type { StopSignals } from './stop-signals.js';

/** The interval in which a waiting `wait-ready` checks readiness. */
const LOOK_MS = 100;

/** Carries out `ringway reload`, `drain` and `wait-ready` in the running service. */
export class Commands {
  readonly #end = new Signal();
  #drained = false;

  constructor(
    private readonly service: Pick<Service, 'reload' | 'readiness' | 'serves'>,
    private readonly signals: Pick<StopSignals, 'stop'>,
  ) {}

  /** Resolves when it is done. @throws Failure */
  run(command: ControlCommand): Promise<void> {
    switch (command) {
      case 'reload':
        return this.#reload();
      case 'drain':
        return this.#drain();
      case 'wait-ready':
        return this.#waitReady();
    }
  }

  /** Answers all that wait: the service has stopped serving. */
  ended(drained: boolean): void {
    this.#drained = drained;
    this.#end.fire();
  }

  async #reload(): Promise<void> {
    const killed = await this.service.reload();
    if (killed > 0) {
      throw new Failure(
        'drainTimeout',
        `reloaded, but ${killed} of the former processes were killed at drain_timeout_ms`,
      );
    }
  }

  async #drain(): Promise<void> {
    this.signals.stop('ringway drain');
    await this.#end.fired;
    if (!this.#drained) throw new Failure('drainTimeout', 'requests were cut');
  }

  async #waitReady(): Promise<void> {
    await Promise.race([this.service.serves, this.#end.fired]);
    while (!this.service.readiness().ready) {
      if (this.#end.hasFired) throw new Failure('stopped', 'the service was stopped');
      await delay(LOOK_MS);
    }
  }
}
