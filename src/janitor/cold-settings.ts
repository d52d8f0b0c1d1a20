import type { ColdBackend } from '../cold/cold-backend.js';
import type { DigestFactory } from '../digest/body-digest.js';
import type { ColdClasses } from '../s3/rules/cold/classes.js';

/** What the janitor needs for the cold tier. */
export interface ColdSettings {
  readonly backend: ColdBackend;
  readonly classes: ColdClasses;
  /** Whether archived objects leave the store. */
  readonly deleteHot: boolean;
  /** Younger copies are nobody's garbage: whoever writes one stamps its object afterwards. */
  readonly sweepAgeMs: number;
  readonly digests: DigestFactory;
}
