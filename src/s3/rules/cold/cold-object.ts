import { formatHttpDate } from '../dates.js';
import { daysAfter } from '../lifecycle/schedule.js';
import { S3Error } from '../../errors.js';
import type { ColdState } from './state.js';

/** An object of the cold tier, and what may be done with it: SPEC.md 3.4. All times are ms. */
export interface ColdObject {
  readonly storageClass: string;
  readonly state: ColdState;
  /** The state as it stands in system metadata: what a change of it depends on. */
  readonly stamp: string | null;
  /** The cold backend alone has its bytes. */
  readonly bodyAbsent: boolean;
}

export function isRestored({ state, bodyAbsent }: ColdObject, now: number): boolean {
  return !bodyAbsent && isWindowOpen(state, now);
}

function isWindowOpen({ restoredUntil }: ColdState, now: number): boolean {
  return restoredUntil !== undefined && restoredUntil > now;
}

/** @throws S3Error `InvalidObjectState` unless a restore window is open */
export function requireRestored(object: ColdObject, now: number): void {
  if (isRestored(object, now)) return;
  throw new S3Error('InvalidObjectState', undefined, { StorageClass: object.storageClass });
}

/** `x-amz-restore`, while a restore window is open. */
export function restoreHeaders({ restoredUntil }: ColdState, now: number): [string, string][] {
  if (restoredUntil === undefined || restoredUntil <= now) return [];
  const expiry = formatHttpDate(restoredUntil);
  return [['x-amz-restore', `ongoing-request="false", expiry-date="${expiry}"`]];
}

export interface RestoreDecision {
  /** 202: a window is opened. 200: one was open, and ends at another time now. */
  readonly status: 200 | 202;
  /** Whether the bytes have to be brought back first. */
  readonly bringsBack: boolean;
  readonly restoredUntil: number;
}

/**
 * AWS counts the days from now, also where a window is open already, and rounds up to midnight UTC.
 *
 * @param object - undefined for an object that is not cold
 * @throws S3Error `InvalidObjectState`
 */
export function decideRestore(
  object: ColdObject | undefined,
  days: number,
  now: number,
): RestoreDecision {
  if (object === undefined) throw restoreNotAllowed();
  return {
    status: isRestored(object, now) ? 200 : 202,
    bringsBack: object.bodyAbsent,
    restoredUntil: daysAfter(now, days),
  };
}

export function restoreNotAllowed(): S3Error {
  return new S3Error(
    'InvalidObjectState',
    "Restore is not allowed for the object's current storage class",
  );
}

/** `archive`: to be copied into the cold backend. `release`: is there, so that its body may go. */
export type ColdWork = 'archive' | 'release';

/** The janitor's work on an object now; none while a restore window is open. */
export function coldWorkOf(
  { state, bodyAbsent }: ColdObject,
  deleteHot: boolean,
  now: number,
): ColdWork | undefined {
  if (bodyAbsent || isWindowOpen(state, now)) return undefined;
  if (state.copy === undefined) return 'archive';
  return deleteHot ? 'release' : undefined;
}
