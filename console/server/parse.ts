import type { z } from 'zod';
import { ApiError } from './api-error.js';

/**
 * Checks the fields of a request.
 * @throws ApiError invalid_argument with the places that are wrong; never with the values
 */
export function parse<S extends z.ZodType>(schema: S, given: unknown): z.infer<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => ({
    place: path.map(String).join('.'),
    message,
  }));
  const [first] = problems;
  const why = [first?.place, first?.message].filter(Boolean).join(': ');
  throw new ApiError('invalid_argument', `Invalid request. ${why}.`, { problems });
}
