import { mkdir, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import {
  openAuditLog,
  type AuditEvent,
  type AuditLog,
  type AuditLogOptions,
  type AuditRecord,
  type AuditVerdict,
} from './audit-log.js';

const LOCK_FILE = 'audit.lock';
/** The kernel offers no wait that can be given up, hence the retry. */
const RETRY_MS = 50;

/**
 * The audit log, held by one process at a time: two would break its chain. At a reload the next
 * console serves at once, and what it has to record waits until the former one has gone.
 */
export class ExclusiveAudit {
  readonly #opened: Promise<AuditLog>;
  #isOurs: boolean;
  #isClosed = false;

  private constructor(
    private readonly lock: FileHandle,
    private readonly openLog: () => Promise<AuditLog>,
    isLocked: boolean,
  ) {
    this.#isOurs = isLocked;
    this.#opened = isLocked ? openLog() : this.#waitForTurn();
    // Callers that need the log get the error.
    this.#opened.catch(() => undefined);
  }

  /**
   * @param onWait called when another process has it
   * @throws system errors when the files cannot be read and written
   */
  static async open(
    directory: string,
    options: AuditLogOptions,
    onWait: () => void,
  ): Promise<ExclusiveAudit> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const lock = await open(path.join(directory, LOCK_FILE), 'a+', 0o600);
    try {
      const isLocked = tryLock(lock.fd);
      const audit = new ExclusiveAudit(lock, () => openAuditLog(directory, options), isLocked);
      if (isLocked) await audit.#opened;
      else onWait();
      return audit;
    } catch (error) {
      await lock.close();
      throw error;
    }
  }

  async #waitForTurn(): Promise<AuditLog> {
    for (;;) {
      await delay(RETRY_MS);
      if (this.#isClosed) throw new Error('the audit log was closed before its turn came');
      if (!tryLock(this.lock.fd)) continue;
      this.#isOurs = true;
      return this.openLog();
    }
  }

  /**
   * Waits until no other process has it.
   * @returns false when this one gave up before
   * @throws system errors when the files cannot be read and written
   */
  async turn(): Promise<boolean> {
    try {
      await this.#opened;
      return true;
    } catch (error) {
      if (this.#isClosed) return false;
      throw error;
    }
  }

  /** Whether no other process has it. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Waits for its turn no longer: what was to be recorded then fails. */
  giveUp(): void {
    this.#isClosed = true;
  }

  /** Like AuditLog's. */
  async write(event: AuditEvent): Promise<void> {
    await (await this.#opened).write(event);
  }

  /** Like AuditLog's. */
  async latest(accepts: (record: AuditRecord) => boolean, max: number): Promise<AuditRecord[]> {
    return (await this.#opened).latest(accepts, max);
  }

  /** Like AuditLog's. */
  async foreignBytes(): Promise<number> {
    return (await this.#opened).foreignBytes();
  }

  /** Like AuditLog's. */
  async verify(): Promise<AuditVerdict> {
    return (await this.#opened).verify();
  }

  /** Lets the next one have it. */
  async close(): Promise<void> {
    this.giveUp();
    const log = await this.#opened.catch(() => undefined);
    await log?.close();
    await this.lock.close();
  }
}
