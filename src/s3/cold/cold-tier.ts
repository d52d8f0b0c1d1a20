import type { ColdClasses } from '../rules/cold/classes.js';
import type { Restorer } from './restorer.js';

/** The cold tier as operations know it: docs/cold-tier.md. */
export interface ColdTier {
  /** Objects of these storage classes have to be restored before they can be read. */
  readonly classes: ColdClasses;
  /** Undefined without a cold backend: then nothing can be restored. */
  readonly restorer: Pick<Restorer, 'restore'> | undefined;
}
