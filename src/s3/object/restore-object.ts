import type { RequestContext, S3Response } from '../operation.js';
import { readDocument } from '../request/request-document.js';
import { restoreNotAllowed } from '../rules/cold/cold-object.js';
import { headToChange } from './named-version.js';
import { versionHeaders } from './object-response.js';

/**
 * RestoreObject: opens a restore window, once the bytes are there. Without a cold backend no object
 * can be restored: the answer is never 501, and never a success that restores nothing (SPEC.md 3.4,
 * 4.5).
 */
export async function restoreObject(context: RequestContext): Promise<S3Response> {
  const { cold } = context.services;
  const { ref, head } = await headToChange(context);
  if (cold.restorer === undefined) throw restoreNotAllowed();
  const { days } = await readDocument(context, 'RestoreRequest');
  const status = await cold.restorer.restore(ref, days, context.call);
  return { status, headers: await versionHeaders(context, head), body: '' };
}
