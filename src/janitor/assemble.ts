import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Backend } from '../backend/backend.js';
import { startClockHealth, type ClockHealth, type ClockState } from '../clock/index.js';
import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import { parseColdClasses } from '../s3/rules/cold/classes.js';
import { nextRequestId } from '../telemetry/request-id.js';
import type { JanitorDeps, JanitorSettings, Observer } from './account-janitor.js';
import { SYSTEM_CLOCK } from './clock.js';
import type { ColdSettings } from './cold-walk.js';
import { RateLimiter } from './rate-limit.js';

/** The janitor's parts as a process uses them, from the configuration. */

export async function janitorDeps(
  options: FilledOptions,
  backend: Backend,
  observer: Observer,
  clockHealth: ClockHealth,
): Promise<JanitorDeps> {
  return {
    backend,
    settings: janitorSettings(options),
    cold: await janitorCold(options),
    pace: janitorPace(options),
    clock: SYSTEM_CLOCK,
    clockState: () => clockHealth.state(),
    observer,
    holder: `${hostname()} ${process.pid} ${randomBytes(6).toString('hex')}`,
    nextRequestId,
  };
}

export function janitorSettings(options: FilledOptions): JanitorSettings {
  return {
    intervalMs: options.janitorIntervalMs,
    leaseMs: options.janitorLeaseMs,
    segmentGraceMs: options.segmentGraceMs,
    segmentSweepAgeMs: options.segmentSweepAgeMs,
    versionSweepAgeMs: options.versionSweepAgeMs,
    versionLostIndexAgeMs: Math.max(options.versionSweepAgeMs, options.versionLostIndexAgeMs),
    versionIndexBytesMax: options.versionIndexBytesMax,
    storageClasses: options.storageClasses,
  };
}

/** The clock that Object Lock goes by. @param warn - told why, when the clock cannot be trusted */
export function janitorClock(
  { wormClockMaxOffsetMs: maxOffsetMs }: FilledOptions,
  warn: (why: string) => void,
): Promise<ClockHealth> {
  const onChange = (state: ClockState, why: string): void => {
    if (state === 'unhealthy') warn(why);
  };
  return startClockHealth({ maxOffsetMs, onChange });
}

/**
 * Loads the code of a cold tier where there is one: see openStore.
 * @throws StartError `store` when the cold backend cannot be opened
 */
export async function janitorCold(options: FilledOptions): Promise<ColdSettings | undefined> {
  if (options.coldBackend === 'none') return undefined;
  const { openColdBackend } = await import('../processes/open-cold.js');
  const { createDigestFactory } = await import('../digest/index.js');
  const backend = openColdBackend(options);
  return (
    backend && {
      backend,
      classes: parseColdClasses(options.coldStorageClasses),
      deleteHot: options.deleteHot,
      sweepAgeMs: options.coldSweepAgeMs,
      // No client waits for this process: bodies are hashed on the event loop.
      digests: createDigestFactory({ inlineBytesMax: Infinity }),
    }
  );
}

export function janitorPace(options: FilledOptions): RateLimiter {
  return new RateLimiter(options.janitorOperationsPerS, SYSTEM_CLOCK);
}

/**
 * The accounts that janitors go through by the configuration: those of the credentials, or those that
 * are named where an identity service knows the users, and the anonymous one.
 */
export function janitorAccounts(options: FilledOptions, roster: Roster): string[] {
  const { anonymousAccount, identityAccounts } = options;
  const named = options.credentialsSource === 'identity' ? identityAccounts : [];
  const accounts = [...roster.map(({ account }) => account), ...named, anonymousAccount];
  return [...new Set(accounts)].filter((account) => account !== '').sort();
}
