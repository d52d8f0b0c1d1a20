import { z } from 'zod';
import { ApiError } from '../../../server/api-error.js';
import { objectPlace } from '../names.js';

/** A version id of Swift's own versions, or of the S3 gateway's. */
export const versionId = z
  .string()
  .regex(/^(?:null|\d{10}\.\d{5}(?:_[0-9a-f]{1,16})?|[0-9a-f]{32})$/, {
    error: 'a version of the store',
  });

/** One version of an object. */
export const version = objectPlace.extend({ version_id: versionId });

/** A name once more, as the user typed it, which says that it is meant. */
export const confirmName = z.string().max(1024).optional();

/** @throws ApiError invalid_argument */
export function expectTyped(typed: string | undefined, name: string): void {
  if (typed === name) return;
  throw new ApiError('invalid_argument', 'The confirmation name does not match.', {
    needs: 'confirm_name',
  });
}
