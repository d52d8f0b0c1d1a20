import { timeAt } from '../../../ui/clock.js';
import { call, query, tempurlDefaultS } from '../../../ui/api.js';
import { copyField } from '../../../ui/copy.js';
import { ask, el } from '../../../ui/dom.js';
import { box, choice, quiet } from './s3/fields.js';
import { containerHere, may } from './state.js';
import type { PresignedUrl } from '../s3/presigned-routes.js';
import type { SharingView } from '../sharing.js';
import type { TempUrl } from '../tempurl-routes.js';

const UNITS: readonly (readonly [string, string])[] = [
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
];

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/;
const NO_FOLDER =
  'Folders in buckets with S3 versioning cannot be shared. Share individual objects, or edit access to the bucket.';
const NO_STORE_ADDRESS =
  'Folders are shared with TempURLs, for which no public address is configured. Contact an operator to set store_public_base.';
/** S3 takes no longer time in a URL. */
const PRESIGNED_S_MAX = 7 * 86_400;

/** The largest unit that a time is a multiple of; minutes where there is none. */
function unitOf(seconds: number) {
  const sizes = UNITS.map(([size]) => Number(size)).reverse();
  return sizes.find((size) => seconds % size === 0) ?? 60;
}

const amountOf = (seconds: number) => Math.max(1, Math.round(seconds / unitOf(seconds)));

/** Why a folder cannot be shared; null where it can. */
function noFolder({ tempurl, versioning, presigned, reason }: SharingView) {
  if (tempurl) return null;
  return versioning === null ? (reason ?? NO_STORE_ADDRESS) : presigned ? NO_FOLDER : reason;
}

/**
 * A URL that opens an object, or all below a folder, for a while: a presigned URL of S3 where the
 * user has a key for it, and a TempURL of the store where not, or for what S3 cannot sign.
 */
export async function showShare(target: { name: string; prefix?: undefined } | { prefix: string }) {
  const container = containerHere();
  const isFolder = target.prefix !== undefined;
  const title = isFolder ? 'Share folder' : 'Share object';
  const sharing = await call('GET', `/api/files/sharing?${query({ name: container })}`);
  const { presigned, tempurl, versioning, reason } = sharing;
  const none = isFolder ? noFolder(sharing) : reason;
  if (none !== null) {
    await ask(title, [el('p', { textContent: none })]);
    return;
  }
  const isS3 = presigned && !isFolder;
  // The store signs what S3 cannot: for longer, and for one network alone.
  const isS3Alone = isS3 && !tempurl;
  const defaultS = isS3Alone ? Math.min(tempurlDefaultS(), PRESIGNED_S_MAX) : tempurlDefaultS();
  const amount = el('input', {
    ...{ name: 'amount', type: 'number', min: '1', max: '525600', required: true },
    value: String(amountOf(defaultS)),
  });
  const unit = choice('Unit', 'unit', UNITS, String(unitOf(defaultS)));
  const methods: [string, string][] = [['GET', 'read']];
  if (may('admin')) methods.push(['PUT', 'write']);
  const file = el('input', { name: 'filename', maxLength: 255 });
  const range = el('input', { name: 'ip_range', placeholder: '203.0.113.0/24' });
  let made = null as TempUrl | PresignedUrl | null;
  const given = await ask(
    title,
    [
      quiet(
        isS3Alone
          ? 'Anyone with the URL can use it without logging in until it expires (7 days at most). It stops working earlier if your key, which signs it, becomes invalid.'
          : 'Anyone with the URL can use it without logging in until it expires.',
      ),
      el('div', { className: 'pair' }, el('label', {}, 'Valid for', amount), unit.node),
      choice('Permission', 'method', methods).node,
      el(
        'details',
        {},
        el('summary', { textContent: 'More options' }),
        el('label', {}, 'Download file name', file),
        ...(isS3Alone ? [] : [el('label', {}, 'Allow only this IP address or network', range)]),
        box('Open in the browser instead of downloading', { name: 'inline' }).node,
      ),
    ],
    'Create URL',
    async (entered) => {
      const lifeS = Number(entered.amount) * Number(entered.unit);
      if (isS3Alone && lifeS > PRESIGNED_S_MAX)
        throw new Error('The URL can be valid for up to 7 days.');
      const body = {
        ...{ container, ...target, method: entered.method, expires_in_s: lifeS },
        ...(entered.filename && { filename: entered.filename }),
        ...(entered.ip_range && { ip_range: entered.ip_range }),
        ...(entered.inline && { inline: true }),
      };
      made =
        isS3 && (isS3Alone || (lifeS <= PRESIGNED_S_MAX && !entered.ip_range))
          ? await call('POST', '/api/files/presigned', body)
          : await call('POST', '/api/files/tempurl', body);
    },
  );
  if (given === null || made === null) return;
  const isWrite = given.method === 'PUT';
  await showMade(made, notesOf(made, { isFolder, isWrite, isKept: versioning === 'Enabled' }));
}

/**
 * Notes for the user of a URL.
 *
 * @param what `isKept`: the replaced object stays as a version
 */
function notesOf(
  made: TempUrl | PresignedUrl,
  { isFolder, isWrite, isKept }: { isFolder: boolean; isWrite: boolean; isKept: boolean },
) {
  const until = `Valid until ${timeAt(made.expires_unix_s, 'full')}`;
  const byKey = `${until}. It stops working earlier if your key, which signs it, becomes invalid.`;
  const notes = ['digest' in made ? `${until}, signed with ${made.digest}.` : byKey];
  if (LOOPBACK.test(new URL(urlOf(made)).hostname)) {
    const key = 'url_path' in made ? 'store_public_base' : 's3_public_base';
    notes.push(
      `The URL works only on the console’s host until an operator sets a public address (${key}).`,
    );
  }
  if (isFolder) notes.push('The same URL parameters work for every object in this folder.');
  if (isWrite) {
    const effect = isKept ? 'add a new version of the object' : 'permanently replace the object';
    notes.push(`Anyone with the URL can ${effect}.`);
  }
  return notes;
}

/** Pages make none where its address is not known. */
function urlOf({ url }: TempUrl | PresignedUrl) {
  return url as string;
}

async function showMade(made: TempUrl | PresignedUrl, notes: readonly string[]) {
  await ask('Share', [copyField('URL', urlOf(made)), ...notes.map(quiet)]);
}
