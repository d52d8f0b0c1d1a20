import { call, query } from '../../../ui/api.js';
import { bytesText, countText, el, shownText } from '../../../ui/dom.js';
import { aclLines, showAcl } from './acl.js';
import { removeContainer, removeKeys, rotateKey, setVersions } from './container-actions.js';
import { showQuota } from './quota.js';
import { sizeFacts } from './size-facts.js';
import { go, keepsDeleted, may, view } from './state.js';
import { lockTexts, showBucketLock } from './s3/bucket-lock.js';
import { showCors } from './s3/cors.js';
import { factList, quiet } from './s3/fields.js';
import { ruleItem, showLifecycle } from './s3/lifecycle.js';
import { showRewind } from './s3/rewind.js';
import { showTags, tagList, tagsOf } from './s3/tags.js';
import { showUnfinished } from './s3/unfinished.js';
import { showShare } from './share.js';
import type { ContainerDetails } from '../container-details.js';
import type { Subject } from './container-page.js';

const ACCESS: Readonly<Record<string, string>> = {
  public: 'Public: anyone can read it at the store’s address',
  shared: 'Shared with others',
  private: 'Private',
};
const VERSIONING: Readonly<Record<ContainerDetails['versioning'], string>> = {
  stack: 'Versioning is on; versions kept in this bucket',
  archive: 'Versions kept in another bucket',
  history: 'Versions and deleted objects kept in another bucket',
  gateway: 'Versions kept by S3 versioning',
  none: 'Versioning is off',
};

export async function accessTab(subject: Subject) {
  return [await rulesOf(subject), sharingOf(subject), ...sharedFolder(subject)];
}

/** The folder that is open can be shared as a whole, where the store takes URLs that do so. */
function sharedFolder({ details, can, act }: Subject) {
  const { prefix } = view;
  const isSigned = can.tempurl && details.versioning !== 'gateway';
  if (!isSigned || prefix === '' || !may('member')) return [];
  const text = `A URL that opens all objects whose names start with “${shownText(prefix)}”.`;
  const share = act(`Share folder ${shownText(prefix)}`, () => showShare({ prefix }));
  return [section('Folder', quiet(text), share)];
}

/** How single objects are shared. */
function sharingOf({ name, details, act }: Subject) {
  const { versioning, s3, tempurl_keys: keys } = details;
  if (versioning === 'gateway') {
    const text = s3
      ? 'Objects are shared with presigned URLs, valid for up to 7 days. A URL stops working earlier if the access key that signed it does.'
      : 'Use an S3 client to share objects of this bucket with presigned URLs.';
    const former = quiet('A TempURL key from before S3 versioning was enabled still exists.');
    const remove = () => removeKeys(name);
    const left =
      keys > 0 && may('admin') ? [former, act('Remove TempURL key', remove, 'danger')] : [];
    return section('Shared objects', quiet(text), ...left);
  }
  const text =
    keys === 0
      ? 'No key yet. A key is created with the first TempURL.'
      : 'TempURLs of this bucket are signed with a key that is never displayed.';
  const rotate = keys > 0 && may('admin') ? [act('Create new key', () => rotateKey(name))] : [];
  return section('TempURL key', quiet(text), ...rotate);
}

async function rulesOf({ name, details, act }: Subject) {
  const title = 'Access rules';
  const owners = quiet('Account owners can always read and write.');
  if (!may('admin')) return section(title, owners, quiet('Only admins can view access rules.'));
  const lists = await call('GET', `/api/files/acl?${query({ name })}`);
  const meaning = await call('POST', '/api/files/acl/preview', lists);
  const words = (kind: 'read' | 'write') =>
    el('ul', { className: 'words' }, ...aclLines(meaning[kind], kind));
  return section(
    title,
    owners,
    el('h4', { textContent: 'Read' }),
    words('read'),
    el('h4', { textContent: 'Write' }),
    words('write'),
    ...(details.s3
      ? [quiet('Other users can access this bucket in the console and with S3 clients.')]
      : []),
    act('Edit access', () => showAcl(name)),
  );
}

export async function versionsTab({ name, details, can, act }: Subject) {
  const { versioning, versioning_active: active, s3 } = details;
  const isSwitched = versioning === 'none' || versioning === 'stack' || s3;
  const about = active
    ? 'Overwritten and deleted objects are kept as versions and use storage. Find deleted objects under “Deleted files”.'
    : s3
      ? 'New versions are not created. Deleting an object adds a delete marker. Existing versions are kept.'
      : 'Deleted objects go to the trash. Overwritten objects are permanently lost.';
  const isCounted = versioning === 'stack' || versioning === 'gateway';
  const row = el('div', { className: 'row' });
  if (active) row.append(act('Show deleted files', () => go(name, view.prefix, 'trash')));
  if (may('admin') && can.object_versioning && isSwitched) {
    const title = active ? 'Suspend versioning' : 'Enable versioning';
    row.append(act(title, () => setVersions({ name, s3 }, !active)));
  }
  const nodes = [
    section(
      'Versions',
      quiet(versionsText(details)),
      quiet(about),
      ...(isCounted ? [sizeFacts(name, ['noncurrent'])] : []),
      row,
    ),
  ];
  if (s3 && details.s3_bucket) {
    const lock = await call('GET', `/api/files/lock?${query({ name })}`);
    const purpose =
      'Prevents versions from being deleted for a retention period or until a legal hold is removed.';
    const title = may('admin') ? 'Edit Object Lock' : 'View Object Lock';
    const show = act(title, () => showBucketLock(name));
    nodes.push(section('Object Lock', quiet(purpose), factList(lockTexts(lock)), show));
  }
  if (s3 && active && may('member')) {
    const purpose = 'Restores a folder to an earlier point in time. No versions are lost.';
    nodes.push(
      section(
        'Rewind',
        quiet(purpose),
        act('Rewind', () => showRewind(name)),
      ),
    );
  }
  return nodes;
}

export async function lifecycleTab({ name, details, act }: Subject) {
  if (!details.s3_bucket) {
    const text = details.s3_shared
      ? "Only account owners can view the bucket's lifecycle rules."
      : 'Lifecycle rules for the whole bucket require a bucket that is visible to S3 clients.';
    const each = quiet('Each object can have its own expiry, shown in its details.');
    return [section('Expiry', each, quiet(text))];
  }
  const { rules } = await call('GET', `/api/files/lifecycle?${query({ name })}`);
  const list =
    rules.length === 0
      ? quiet('No rules. Nothing is deleted or moved automatically.')
      : el('ol', { className: 'rules' }, ...rules.map((rule) => ruleItem(rule, details.s3, null)));
  const title = may('admin') ? 'Edit lifecycle rules' : 'View lifecycle rules';
  const show = act(title, () => showLifecycle(name, details.s3));
  return [section('Lifecycle rules', list, show)];
}

/** Multipart uploads that were begun and never finished. */
export async function uploadsTab({ name, details, act }: Subject) {
  const title = 'Incomplete multipart uploads';
  if (!details.s3_bucket) {
    const text = 'Multipart uploads are of S3 clients. This bucket is not visible to them.';
    return [section(title, quiet(text))];
  }
  const about =
    'Parts of incomplete multipart uploads use storage until the uploads are completed or aborted.';
  const show = act('View incomplete multipart uploads', () => showUnfinished(name));
  return [section(title, quiet(about), sizeFacts(name, ['uploads']), show)];
}

/** The websites that may read a bucket, and its tags: both are of S3. */
export async function corsTagsTab({ name, details, act }: Subject) {
  if (!details.s3_bucket) {
    const text = details.s3_shared
      ? "Only account owners can view the bucket's CORS rules and tags."
      : 'CORS rules and tags require a bucket that is visible to S3 clients.';
    return [section('CORS and tags', quiet(text))];
  }
  const [{ rules }, tags] = await Promise.all([
    call('GET', `/api/files/cors?${query({ name })}`),
    tagsOf({ container: name }),
  ]);
  const none = 'No rules. Browsers block other websites from reading the bucket.';
  return [
    section(
      'Cross-origin access (CORS)',
      quiet('Websites that can access this bucket from a browser.'),
      quiet(rules.length === 0 ? none : `${countText(rules.length, 'rule')}.`),
      act(may('admin') ? 'Edit CORS rules' : 'View CORS rules', () => showCors(name)),
    ),
    section(
      'Tags',
      tagList(tags),
      ...(may('admin') ? [act('Edit bucket tags', () => showTags({ container: name }, true))] : []),
    ),
  ];
}

/** The facts of a bucket as a whole, its quota, and its end. */
export async function settingsTab(subject: Subject) {
  const { name, details, can, act } = subject;
  const facts = factList({
    S3: s3Text(details),
    Access: ACCESS[details.access ?? ''] ?? 'Unknown (visible to owners only)',
    Versions: versionsText(details),
    'Storage policy': details.policy ?? 'unknown',
    Quota: quotaText(details),
  });
  const quota = can.quotas && may('admin') ? [act('Edit quota', () => showQuota(details))] : [];
  return [
    section('Size', sizeFacts(name, ['current', 'noncurrent', 'uploads'])),
    section('Details', facts, ...quota),
    ...(may('admin') ? [endOf(subject)] : []),
  ];
}

function endOf({ details, act }: Subject) {
  const text = keepsDeleted()
    ? 'All versions and delete markers are also deleted. This cannot be undone.'
    : 'Objects are not moved to the trash. This cannot be undone.';
  const remove = act('Empty or delete', () => removeContainer(details), 'danger');
  const made = section('Empty or delete this bucket', quiet(text), remove);
  made.classList.add('danger-zone');
  return made;
}

function s3Text({ s3_bucket: isOwn, s3_shared: isShared }: ContainerDetails) {
  if (isShared) return 'Visible as a bucket with this name, shared with you';
  return isOwn ? 'Visible as a bucket with this name' : 'Not visible to S3 clients';
}

function quotaText({ quota_bytes: bytes, quota_objects: objects }: ContainerDetails) {
  const texts = [];
  if (bytes !== null) texts.push(bytesText(bytes));
  if (objects !== null) texts.push(`${objects.toLocaleString()} objects`);
  return texts.join(', ') || 'None';
}

function versionsText(details: ContainerDetails) {
  const { versioning, versioning_active: active, versions_container: place, s3 } = details;
  if (details.s3_unavailable) return 'Unknown (S3 is not responding)';
  if (s3)
    return active
      ? 'S3 versioning is enabled'
      : 'S3 versioning is suspended. Existing versions are kept.';
  const text = VERSIONING[versioning];
  if (place !== null) return `${text} (${shownText(place)})`;
  return versioning === 'stack' && !active
    ? 'Versioning is suspended. Existing versions are kept.'
    : text;
}

function section(title: string, ...children: Node[]) {
  return el('section', {}, el('h3', { textContent: title }), ...children);
}
