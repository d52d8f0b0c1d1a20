import type { WhatIfChange } from '../surfaces/lab/rings/ring-changes.js';

/**
 * A change of a ring that was tried on a page of the Lab, on its way to the page of Deploy, which
 * makes a draft of a specification of it.
 */
export interface RingDevice {
  readonly id: number;
  readonly region: number;
  readonly zone: number;
  readonly ip: string;
  readonly port: number;
  readonly device: string;
  readonly weight: number;
}

/** `ring` is a name such as `object-1`. */
export interface RingChange {
  readonly ring: string;
  readonly part_power: number;
  readonly replicas: number;
  readonly devices: readonly RingDevice[];
  readonly changes: readonly WhatIfChange[];
  readonly overload: number;
}

const KEY = 'ring-change';

/** Hands a change to the page of Deploy, in this tab. */
export function handOver(change: RingChange) {
  sessionStorage.setItem(KEY, JSON.stringify(change));
}

/** The change that was handed over, once. */
export function takeRingChange(): RingChange | null {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (text === null) return null;
  try {
    return JSON.parse(text) as RingChange;
  } catch {
    return null;
  }
}
