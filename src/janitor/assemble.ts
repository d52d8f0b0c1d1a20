import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Backend } from '../backend/backend.js';
import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import { createDigestFactory } from '../digest/index.js';
import { openColdBackend } from '../open-cold.js';
import { parseColdClasses } from '../s3/rules/cold/classes.js';
import { nextRequestId } from '../telemetry/request-id.js';
import type { JanitorParts, JanitorSettings, Observer } from './account-janitor.js';
import { SYSTEM_CLOCK } from './clock.js';
import type { ColdSettings } from './cold-settings.js';
import { Pace } from './pace.js';

/** The janitor's parts as a process uses them, from the configuration. */

export function janitorParts(
  options: FilledOptions,
  backend: Backend,
  observer: Observer,
): JanitorParts {
  return {
    backend,
    settings: janitorSettings(options),
    cold: janitorCold(options),
    pace: janitorPace(options),
    clock: SYSTEM_CLOCK,
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
    storageClasses: options.storageClasses,
  };
}

/** @throws StartError `store` when the cold backend cannot be opened */
export function janitorCold(options: FilledOptions): ColdSettings | undefined {
  const backend = openColdBackend(options);
  return (
    backend && {
      backend,
      classes: parseColdClasses(options.coldStorageClasses),
      deleteHot: options.deleteHot,
      sweepAgeMs: options.coldSweepAgeMs,
      // Nobody waits in this process: bodies are hashed where they pass.
      digests: createDigestFactory({ inlineBytesMax: Infinity }),
    }
  );
}

export function janitorPace(options: FilledOptions): Pace {
  return new Pace(options.janitorOperationsPerS, SYSTEM_CLOCK);
}

/**
 * The accounts that janitors go through: those of the credentials, and the anonymous one. Nobody can
 * write to another account through this gateway.
 */
export function janitorAccounts(options: FilledOptions, roster: Roster): string[] {
  const accounts = [...roster.map(({ account }) => account), options.anonymousAccount];
  return [...new Set(accounts)].filter((account) => account !== '').sort();
}
