import { call, query } from '../../../ui/api.js';
import { copyField, copyText } from '../../../ui/copy.js';
import { lateSection } from './late-section.js';
import { quiet } from './s3/fields.js';
import { view } from './state.js';

/** The addresses of objects that need no signature. */

const NO_ADDRESS =
  'No public address is configured for this bucket. Contact an operator to set s3_public_base.';

/** @returns null where S3 does not know the container */
export function s3UriOf(name: string) {
  const { s3, s3_bucket: isOwned, s3_shared: isShared } = view.details ?? {};
  if (s3 !== true && isOwned !== true && isShared !== true) return null;
  return `s3://${view.container}/${name}`;
}

export async function copyUrl(container: string, name: string) {
  const { url } = await call('GET', `/api/files/urls?${query({ container, name })}`);
  if (url === null) throw new Error(NO_ADDRESS);
  await copyText(url);
}

/** Where the access rules are public: the address that opens without a login, if it does. */
export function publicUrl(container: string, name: string, again: () => unknown) {
  if (view.details?.access !== 'public') return [];
  const work = async () => {
    const urls = await call('GET', `/api/files/urls?${query({ container, name })}`);
    if (urls.is_public && urls.url !== null) return [copyField('Public URL', urls.url)];
    const unserved = 'no known address serves this object without a login';
    return [quiet(`The access rules are public, but ${unserved}.`)];
  };
  return [lateSection('Public access', 1, work, again)];
}
