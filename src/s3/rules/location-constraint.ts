import { S3Error } from '../errors.js';

export interface AcceptedLocations {
  /** The region that signatures name. */
  readonly region: string;
  /** The answer to `?location`. */
  readonly location: string;
}

/**
 * Checks where CreateBucket wants its bucket: nowhere in particular, or where this service is.
 *
 * @throws S3Error `InvalidLocationConstraint` when the value is no region's name;
 *   `IllegalLocationConstraintException` for another region
 */
export function checkLocationConstraint(
  constraint: string | undefined,
  accepted: AcceptedLocations,
): void {
  if (constraint === undefined || constraint === '') return;
  if (constraint === accepted.region || constraint === accepted.location) return;
  if (!isRegionShaped(constraint)) {
    throw new S3Error('InvalidLocationConstraint', undefined, { LocationConstraint: constraint });
  }
  throw new S3Error(
    'IllegalLocationConstraintException',
    `The ${constraint} location constraint is incompatible for the region specific endpoint this request was sent to.`,
    { LocationConstraint: constraint },
  );
}

function isRegionShaped(text: string): boolean {
  if (text.length > 63) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    const digit = code >= 0x30 && code <= 0x39;
    if (!letter && !digit && code !== 0x2d) return false;
  }
  return true;
}
