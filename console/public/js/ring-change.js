/**
 * A change of a ring that was tried on a page of the Lab, on its way to the page of Deploy, which makes
 * a draft of a specification of it.
 *
 * @typedef {{
 *   readonly id: number,
 *   readonly region: number,
 *   readonly zone: number,
 *   readonly ip: string,
 *   readonly port: number,
 *   readonly device: string,
 *   readonly weight: number,
 * }} RingDevice
 * @typedef {{
 *   readonly ring: string,
 *   readonly part_power: number,
 *   readonly replicas: number,
 *   readonly devices: readonly RingDevice[],
 *   readonly changes: readonly import('../../surfaces/lab/rings/ring-changes.js').WhatIfChange[],
 *   readonly overload: number,
 * }} RingChange `ring` is a name such as `object-1`
 */

const KEY = 'ring-change';

/**
 * Hands a change to the page of Deploy, in this tab.
 *
 * @param {RingChange} change
 */
export function handOver(change) {
  sessionStorage.setItem(KEY, JSON.stringify(change));
}

/** The change that was handed over, once. @returns {RingChange | null} */
export function takeRingChange() {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
