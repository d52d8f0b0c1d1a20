import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import { janitorAccounts } from '../janitor/assemble.js';
import { SYSTEM_CLOCK } from '../janitor/clock.js';
import type { OpenProjects } from './open-identity.js';
import type { HealthCheck } from './protocol.js';

/** Keystone is asked for its projects this often. */
const REFRESH_MS = 300_000;
/** While it does not tell them. */
const RETRY_MS = 30_000;

/**
 * The accounts that a janitor goes through: those of the configuration and, with an identity
 * service that tells them, those of its projects. The last answer holds while it does not answer.
 */
export class JanitorAccounts {
  /** Undefined before the first answer. */
  #told: readonly string[] | undefined;
  /** Why the service did not tell them when it was asked last. */
  #problem: string | undefined;

  private constructor(
    private readonly options: FilledOptions,
    private roster: Roster,
    private readonly projects: OpenProjects | undefined,
  ) {}

  /**
   * Asks nothing yet.
   * @throws StartError
   */
  static async open(options: FilledOptions, roster: Roster): Promise<JanitorAccounts> {
    return new JanitorAccounts(options, roster, await openProjects(options));
  }

  /** Asks the service once, where there is one, and closes. @returns names, and why some may miss */
  static async ask(
    options: FilledOptions,
    roster: Roster,
  ): Promise<{ readonly names: readonly string[]; readonly problem: string | undefined }> {
    const accounts = await JanitorAccounts.open(options, roster);
    await accounts.#ask();
    await accounts.close();
    return { names: accounts.names, problem: accounts.#problem };
  }

  /** Each once, in order. */
  get names(): readonly string[] {
    const named = janitorAccounts(this.options, this.roster);
    return [...new Set([...named, ...(this.#told ?? [])])].sort();
  }

  checks(): readonly HealthCheck[] {
    if (this.projects === undefined) return [];
    const count = this.names.length;
    if (this.#problem === undefined) {
      const told = this.#told?.length;
      const detail =
        told === undefined
          ? `${count}, Keystone is being asked`
          : `${count}, with those of ${told} projects of Keystone`;
      return [{ name: 'accounts', ok: true, detail }];
    }
    // Those of the configuration may be all that there are.
    return [{ name: 'accounts', ok: count > 0, detail: `${count} known: ${this.#problem}` }];
  }

  replaceRoster(roster: Roster): void {
    this.roster = roster;
  }

  /**
   * Asks the service at once, and again and again; {@link close} ends a question that is under way.
   * @param told - called after each answer, and with a problem when it is another one than before
   */
  async watch(signal: AbortSignal, told: (problem: string | undefined) => void): Promise<void> {
    if (this.projects === undefined) return;
    for (;;) {
      const before = this.#problem;
      await this.#ask();
      if (signal.aborted) return;
      if (this.#problem === undefined || this.#problem !== before) told(this.#problem);
      const waitMs = this.#problem === undefined ? REFRESH_MS : RETRY_MS;
      try {
        await SYSTEM_CLOCK.sleep(waitMs, signal);
      } catch {
        return;
      }
    }
  }

  /** Harmless when it is closed already. */
  close(): Promise<void> {
    return this.projects?.close() ?? Promise.resolve();
  }

  async #ask(): Promise<void> {
    try {
      this.#told = await this.projects?.accounts();
      this.#problem = undefined;
    } catch (error) {
      this.#problem = (error as Error).message;
    }
  }
}

/** The code that asks Keystone is loaded where there is one alone: see openCredentials. */
async function openProjects(options: FilledOptions): Promise<OpenProjects | undefined> {
  if (options.credentialsSource !== 'identity') return undefined;
  const { openProjects: open } = await import('./open-identity.js');
  return open(options);
}
