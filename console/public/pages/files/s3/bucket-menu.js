import { may } from '../state.js';
import { showBucketLock } from './bucket-lock.js';
import { showCors } from './cors.js';
import { showLifecycle } from './lifecycle.js';
import { showRewind } from './rewind.js';
import { showTags } from './tags.js';
import { showUnfinished } from './unfinished.js';

/**
 * What can be looked at, and changed, of a bucket of S3.
 *
 * @param {string} name
 * @param {{ s3: boolean, versioning_active: boolean }} details
 * @returns {readonly (readonly [string, () => unknown])[]} texts of buttons, and what they do
 */
export function bucketMenu(name, { s3: hasVersions, versioning_active: isActive }) {
  /** @type {(readonly [string, () => unknown])[]} */
  const all = [];
  if (hasVersions) all.push(['Object Lock', () => showBucketLock(name)]);
  if (hasVersions && isActive && may('member')) all.push(['Rewind', () => showRewind(name)]);
  all.push(
    ['Lifecycle rules', () => showLifecycle(name, hasVersions)],
    ['CORS rules', () => showCors(name)],
    ['Bucket tags', () => showTags({ container: name }, may('admin'))],
    ['Unfinished uploads', () => showUnfinished(name)],
  );
  return all;
}
