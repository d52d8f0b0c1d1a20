import type { Roster } from '../src/config/credentials.js';
import type { FilledOptions } from '../src/config/options.js';
import type { ChildInit } from '../src/processes/protocol.js';
import type { Logger } from '../src/telemetry/logger.js';
import type { Child, ChildProgram } from './child.js';
import type { Failure } from './exit-codes.js';
import { faultWatchOf, type FaultWatch } from './fault-watch.js';
import { Fleet } from './fleet.js';
import type { ChildKind } from './kinds.js';
import { RosterWatch } from './roster-watch.js';
import { Signal } from './signal.js';

export interface GenerationOptions {
  /** The options as configured: a port may be 0. */
  readonly asked: FilledOptions;
  /** The same with real ports. */
  readonly options: FilledOptions;
  readonly credentials: Roster;
  readonly consoleConfig: ChildInit['consoleConfig'];
  readonly deploy: ChildInit['deploy'];
  readonly programs: Readonly<Record<ChildKind, ChildProgram>>;
  readonly log: Logger;
  readonly onGone: (child: Child) => void;
  readonly onRestart: (kind: ChildKind, reason: string) => void;
  /** Another generation serves while this one starts. */
  readonly isTrial: boolean;
}

/** All that runs with one configuration: processes, and watches over credentials and faults. */
export class Generation {
  readonly fleet: Fleet;
  readonly asked: FilledOptions;
  readonly options: FilledOptions;
  readonly #rosterWatch: RosterWatch;
  readonly #faultWatch: FaultWatch | undefined;
  readonly #failed = new Signal<Failure>();
  /** Resolves when it cannot go on. */
  readonly failed = this.#failed.fired;

  constructor(given: GenerationOptions) {
    const { options, credentials, log } = given;
    this.asked = given.asked;
    this.options = options;
    this.fleet = new Fleet({
      ...given,
      onFatal: (failure) => {
        this.#failed.fire(failure);
      },
    });
    const onChange = (roster: Roster): void => {
      this.fleet.replaceCredentials(roster);
    };
    this.#rosterWatch = new RosterWatch({ options, log, onChange }, credentials);
    this.#faultWatch = faultWatchOf(given);
  }

  /** It serves: credentials are followed, and faults looked after, from now on. */
  serves(): void {
    this.#rosterWatch.start();
    this.#faultWatch?.start();
  }

  /** Ends this generation; another one may serve or not. */
  retire(): void {
    this.#rosterWatch.close();
    this.#faultWatch?.close();
  }
}
