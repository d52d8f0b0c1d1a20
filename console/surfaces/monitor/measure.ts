import type { Labels } from './labels.js';

/** A value of a panel at the time of a sample. */
export interface Measure {
  /** Name of the panel (panels.ts). */
  readonly panel: string;
  readonly labels: Labels;
  /** The value in the unit of the panel; always finite. */
  readonly value: number;
}

/** A line of a panel. */
export interface Series {
  readonly labels: Labels;
  /** [unix seconds, value]; null where nothing is known. */
  readonly points: readonly (readonly [number, number | null])[];
}
