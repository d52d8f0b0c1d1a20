import { expectAnswer, useVersionsBench, type VersionSteps } from '../versions/bench.js';

/** The words of suites about locks. */

export const WITH_LOCKS = { 'x-amz-bucket-object-lock-enabled': 'true' };
export const BYPASS = { 'x-amz-bypass-governance-retention': 'true' };
export const DAY_MS = 86_400_000;

export type Mode = 'GOVERNANCE' | 'COMPLIANCE';

/** RFC 3339, in whole seconds. */
export function inDays(days: number): string {
  return new Date(Math.floor(Date.now() / 1000) * 1000 + days * DAY_MS).toISOString();
}

export function retention(mode: string, until: string): string {
  return `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;
}

export function legalHold(status: string): string {
  return `<LegalHold><Status>${status}</Status></LegalHold>`;
}

/** @param rule - what stands in `<DefaultRetention>` */
export function lockConfiguration(rule?: string): string {
  const rules =
    rule === undefined ? '' : `<Rule><DefaultRetention>${rule}</DefaultRetention></Rule>`;
  return `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>${rules}</ObjectLockConfiguration>`;
}

export function lockHeaders(mode: string, until: string): Record<string, string> {
  return { 'x-amz-object-lock-mode': mode, 'x-amz-object-lock-retain-until-date': until };
}

/** A bucket whose versions can be locked. @returns its path */
export async function lockedBucket({ s3 }: VersionSteps, name: string): Promise<string> {
  expectAnswer(await s3.put(`/${name}`, '', WITH_LOCKS), 200);
  return `/${name}`;
}

export { useVersionsBench };
