import { readFile, realpath, stat } from 'node:fs/promises';
import {
  generateCredential,
  isInForce,
  parseRecords,
  renderCredentials,
  type CredentialRecord,
} from '../../../src/config/credentials.js';
import { SerialQueues } from '../../../src/lib/promises.js';
import { ConfigError } from '../../../src/config/problem.js';
import { writeDurably } from '../../../src/lib/durable-file.js';
import { ApiError } from '../../server/api-error.js';

/** The fields of a key that its maker chooses. */
export type NewKey = Pick<
  CredentialRecord,
  'account' | 'role' | 'user' | 'description' | 'expires'
>;

/** The fields that can be changed; null takes a field away. */
export interface KeyChange {
  readonly role?: CredentialRecord['role'] | undefined;
  readonly description?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly expires?: string | null | undefined;
}

/** Credentials in a file that can be read at a glance. */
const KEYS_MAX = 10_000;
const queues = new SerialQueues();

/**
 * The file with the access keys of the service. Each change reads it again and replaces it as a
 * whole; the service follows it within seconds.
 */
export class CredentialFile {
  constructor(
    private readonly file: string,
    private readonly now: () => number,
  ) {}

  /** @throws ApiError unprocessable for a file that the service could not use either; system errors */
  async records(): Promise<CredentialRecord[]> {
    const text = await readFile(this.file, 'utf8');
    try {
      return parseRecords(text, 'the file');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ApiError('unprocessable', 'The access key file contains errors. See the log.');
    }
  }

  isInForce(record: CredentialRecord): boolean {
    return isInForce(record, this.now());
  }

  /**
   * Makes a key, in an account that other keys have, or in a new one.
   * @param shown what an account is called here: `wanted` has it so
   * @returns the key with its secret
   * @throws ApiError conflict for too many keys
   */
  create(wanted: NewKey, shown: (account: string) => string): Promise<CredentialRecord> {
    return this.#change((records) => {
      if (records.length >= KEYS_MAX)
        throw new ApiError(
          'conflict',
          'The maximum number of access keys has been reached. Delete unused keys first.',
        );
      const { accessKey, secretKey } = generateCredential();
      const known = records.find(({ account }) => shown(account) === wanted.account);
      const account = known?.account ?? `AUTH_${wanted.account}`;
      const made: CredentialRecord = { accessKey, secretKey, ...wanted, account };
      return [made, [...records, made]];
    });
  }

  /** @throws ApiError not_found; conflict when no owner would be left who operates the service */
  update(accessKey: string, change: KeyChange): Promise<CredentialRecord> {
    return this.#change((records) => {
      const [at, record] = placeOf(records, accessKey);
      const { expires, ...others } = change;
      const changed: CredentialRecord = {
        ...record,
        ...withoutUndefined(others),
        ...(expires === undefined ? {} : { expires: expires ?? undefined }),
      };
      return [changed, records.with(at, changed)];
    });
  }

  /** @throws ApiError not_found; conflict when no owner would be left who operates the service */
  async remove(accessKey: string): Promise<void> {
    await this.#change((records) => [null, records.toSpliced(placeOf(records, accessKey)[0], 1)]);
  }

  #change<T>(
    work: (records: readonly CredentialRecord[]) => readonly [T, readonly CredentialRecord[]],
  ): Promise<T> {
    return queues.run(this.file, async () => {
      const before = await this.records();
      const [result, after] = work(before);
      this.#keepOperator(before, after);
      // Behind a symbolic link, the file itself is replaced.
      await replaceKeepingAccess(await realpath(this.file), renderCredentials(after));
      return result;
    });
  }

  /** Owners of the first owner's account operate the service: one of their keys has to stay. */
  #keepOperator(before: readonly CredentialRecord[], after: readonly CredentialRecord[]): void {
    const main = mainAccount(before);
    const isLeft = after.some(
      (record) => record.role === 'owner' && record.account === main && this.isInForce(record),
    );
    if (isLeft && mainAccount(after) === main) return;
    throw new ApiError(
      'conflict',
      "At least one active owner key of the operators' account must remain.",
    );
  }
}

/**
 * Replaces a file by one of the same owner, group and mode: the service that reads it may run as
 * another user.
 *
 * @throws ApiError conflict where this process may not give it to its owner; then nothing is changed
 */
async function replaceKeepingAccess(file: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(file);
  try {
    await writeDurably(file, text, { mode: mode & 0o777, uid, gid });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    throw new ApiError(
      'conflict',
      'The access key file belongs to another user or group, and the console cannot preserve its ownership. Change the file on the host.',
    );
  }
}

function mainAccount(records: readonly CredentialRecord[]): string | undefined {
  return records.find(({ role }) => role === 'owner')?.account;
}

function placeOf(
  records: readonly CredentialRecord[],
  accessKey: string,
): readonly [at: number, record: CredentialRecord] {
  const at = records.findIndex((record) => record.accessKey === accessKey);
  const record = records[at];
  if (record === undefined) throw new ApiError('not_found', 'The access key does not exist.');
  return [at, record];
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(given: T): Given<T> {
  const kept = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Given<T>;
}
