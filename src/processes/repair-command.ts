import type { Backend } from '../backend/backend.js';
import { isCode } from '../backend/errors.js';
import { janitorPace } from '../janitor/assemble.js';
import { repairBucket, type BucketRepair } from '../janitor/bucket-repair.js';
import { RateLimitedBackend } from '../janitor/rate-limit.js';
import { cancelledBy } from '../lib/cancellation.js';
import { VersionedKeys } from '../s3/versions/versioned-keys.js';
import { nextRequestId } from '../telemetry/request-id.js';
import { ActionReport, CommandError, runCommand, withCauses } from './command-process.js';
import type { RepairCommandInit } from './janitor-command-protocol.js';
import { JanitorAccounts } from './janitor-accounts.js';
import { openStore } from './open-store.js';

/**
 * `ringway repair`: looks for keys of a bucket whose versions are broken, mends them, and writes a
 * line of JSON for each and one for the summary. It goes beside a service that runs: all that it
 * changes it commits as requests do.
 */
runCommand(main);

async function main(init: RepairCommandInit, signal: AbortSignal): Promise<void> {
  const { backend } = await openStore(init.options, init.credentials);
  const report = new Report(init);
  try {
    await repair(init, backend, report, signal);
  } finally {
    await backend.close();
  }
  report.print();
  if (report.failed > 0) {
    throw new CommandError('incomplete', `${report.failed} keys could not be looked at or mended`);
  }
  await report.output.flushed();
}

async function repair(
  init: RepairCommandInit,
  store: Backend,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const { options, bucket, key, isDry } = init;
  const { systemMetadata, atomicCreate } = store.capabilities;
  if (!systemMetadata || !atomicCreate) {
    throw new CommandError(
      'incomplete',
      'this store keeps no versions: on Swift that takes the filter in all proxies',
    );
  }
  const pace = janitorPace(options);
  const backend = new RateLimitedBackend(store, () => pace.take(signal));
  const call = { requestId: nextRequestId(), cancellation: cancelledBy(signal) };
  const account = await accountOf(init, backend, call);
  const versions = new VersionedKeys({
    backend,
    indexBytesMax: options.versionIndexBytesMax,
    sweepAgeMs: options.versionSweepAgeMs,
  });
  const looked = await repairBucket({
    backend,
    call,
    versions,
    account,
    bucket,
    key,
    mend: !isDry,
    report: report.finding.bind(report, account),
    looked: (keys) => {
      report.keys += keys;
    },
  });
  if (looked === 'unversioned') {
    process.stderr.write(`ringway: ${account}/${bucket} keeps no versions: nothing to repair\n`);
  }
}

/** @throws CommandError `no-bucket` */
async function accountOf(
  { options, credentials, account: named, bucket }: RepairCommandInit,
  backend: Backend,
  call: BucketRepair['call'],
): Promise<string> {
  const accounts =
    named === undefined ? (await JanitorAccounts.ask(options, credentials)).names : [named];
  const having: string[] = [];
  for (const account of accounts) {
    try {
      await backend.headContainer(call, { account, container: bucket });
      having.push(account);
    } catch (error) {
      if (!isCode(error, 'NoSuchContainer')) throw error;
    }
  }
  const [account] = having;
  if (account !== undefined && having.length === 1) return account;
  const why =
    account === undefined
      ? `there is no bucket ${bucket} in ${listed(accounts)}: name its account with --account`
      : `the accounts ${having.join(', ')} have a bucket ${bucket}: name one with --account`;
  throw new CommandError('no-bucket', why);
}

/** An identity service may tell thousands. */
function listed(accounts: readonly string[]): string {
  return accounts.length > 10 ? `${accounts.length} accounts` : accounts.join(', ');
}

/** Prints findings, and counts them. */
class Report extends ActionReport {
  keys = 0;

  constructor(private readonly init: Pick<RepairCommandInit, 'bucket' | 'isDry'>) {
    super();
  }

  finding(account: string, ...[outcome, key, finding, error]: Parameters<BucketRepair['report']>) {
    const { action, ...found } = finding ?? { action: 'look' as const };
    this.count(action, outcome);
    const why = error === undefined ? undefined : withCauses(error);
    const { bucket } = this.init;
    const line = { action, outcome, account, bucket, key, ...inSnakeCase(found), error: why };
    this.line(line);
  }

  print(): void {
    this.summary({ dry_run: this.init.isDry, keys: this.keys, actions: this.counts });
  }
}

/** Fields as other lines of JSON have them. */
function inSnakeCase(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
