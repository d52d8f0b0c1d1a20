import { call, query } from '../../js/api.js';
import { bytesText, el, shownText } from '../../js/dom.js';
import { aclLines, showAcl } from './acl.js';
import { removeContainer, removeKeys, rotateKey, setVersions } from './container-actions.js';
import { showQuota } from './quota.js';
import { keepsDeleted, may, view } from './state.js';
import { lockTexts, showBucketLock } from './s3/bucket-lock.js';
import { showCors } from './s3/cors.js';
import { factList, quiet } from './s3/fields.js';
import { ruleItem, showLifecycle } from './s3/lifecycle.js';
import { showRewind } from './s3/rewind.js';
import { showTags } from './s3/tags.js';
import { showUnfinished } from './s3/unfinished.js';
import { showShare } from './share.js';

/**
 * @typedef {import('./container-page.js').TabContent} TabContent
 * @typedef {import('./state.js').ContainerDetails} ContainerDetails
 */

/** @type {Readonly<Record<string, string>>} */
const ACCESS = {
  public: 'Public: anyone can read it',
  shared: 'Shared with others',
  private: 'Private',
};
/** @type {Readonly<Record<ContainerDetails['versioning'], string>>} */
const VERSIONING = {
  stack: 'Kept in the container',
  archive: 'Kept in another container',
  history: 'Kept in another container, with deleted objects',
  gateway: 'Kept by S3, for S3 clients',
  none: 'Not kept',
};

/** @type {TabContent} */
export async function overviewTab({ name, details, can, act }) {
  const facts = factList({
    'Storage policy': details.policy ?? 'unknown',
    Objects: `${details.objects.toLocaleString()}, as counted by the store`,
    Size: bytesText(details.bytes),
    Quota: quotaText(details),
    Access: accessText(details),
    Versions: versionsText(details),
    S3: s3Text(details),
  });
  /** @type {Node[]} */
  const buttons = [];
  if (can.tempurl && details.versioning !== 'gateway' && view.prefix !== '' && may('member')) {
    const share = () => showShare({ prefix: view.prefix });
    buttons.push(act(`Share folder ${shownText(view.prefix)}`, share));
  }
  if (can.quotas && may('admin')) buttons.push(act('Change quota', () => showQuota(details)));
  if (details.s3_bucket) {
    buttons.push(act('Edit bucket tags', () => showTags({ container: name }, may('admin'))));
  }
  return [section('Details', facts, el('div', { className: 'row' }, ...buttons))];
}

/** @param {ContainerDetails} details */
function s3Text({ s3_bucket: isOwn, s3_shared: isShared }) {
  if (isShared) return 'Bucket with this name, shared with you';
  return isOwn ? 'Bucket with this name' : 'Not visible to S3 clients';
}

/** @param {ContainerDetails} details */
function quotaText({ quota_bytes: bytes, quota_objects: objects }) {
  const texts = [];
  if (bytes !== null) texts.push(bytesText(bytes));
  if (objects !== null) texts.push(`${objects.toLocaleString()} objects`);
  return texts.join(', ') || 'None';
}

/** @type {TabContent} */
export async function accessTab({ name, details, act }) {
  const nodes = [await rulesOf(details, act), sharingOf(details, act)];
  if (details.s3_bucket) {
    const { rules } = await call('GET', `/api/files/cors?${query({ name })}`);
    const count = rules.length === 1 ? '1 rule.' : `${rules.length} rules.`;
    nodes.push(
      section(
        'Cross-origin access (CORS)',
        quiet('Which web sites may use the bucket from a browser.'),
        quiet(rules.length === 0 ? 'No rules: browsers let no other web site read it.' : count),
        act(may('admin') ? 'Edit CORS rules' : 'Show CORS rules', () => showCors(name)),
      ),
    );
  }
  return nodes;
}

/**
 * How single objects are shared.
 *
 * @param {ContainerDetails} details
 * @param {import('./container-page.js').Subject['act']} act
 */
function sharingOf({ name, versioning, s3, tempurl_keys: keys }, act) {
  if (versioning === 'gateway') {
    const text = s3
      ? 'Objects are shared by presigned URLs, for 7 days at most. Each ends earlier with the key of the user who signed it.'
      : 'S3 clients share objects of this bucket, by presigned URLs.';
    const former = quiet(
      'There is still a key of TempURLs that were made before S3 kept versions.',
    );
    const remove = () => removeKeys(name);
    const left =
      keys > 0 && may('admin') ? [former, act('Remove TempURL key', remove, 'danger')] : [];
    return section('Shared objects', quiet(text), ...left);
  }
  const text =
    keys === 0
      ? 'There is no key yet. The first TempURL creates one.'
      : 'TempURLs of this container are signed with a key that nobody is shown.';
  const rotate = keys > 0 && may('admin') ? [act('Create new key', () => rotateKey(name))] : [];
  return section('TempURL key', quiet(text), ...rotate);
}

/**
 * @param {ContainerDetails} details
 * @param {import('./container-page.js').Subject['act']} act
 */
async function rulesOf({ name, s3 }, act) {
  const title = 'Access rules';
  const owners = quiet('Owners of the account may always read and write.');
  if (!may('admin')) return section(title, owners, quiet('Only admins can see the rules.'));
  const lists = await call('GET', `/api/files/acl?${query({ name })}`);
  const meaning = await call('POST', '/api/files/acl/preview', {
    read: lists.read,
    write: lists.write,
  });
  const words = (/** @type {'read' | 'write'} */ kind) =>
    el('ul', { className: 'words' }, ...aclLines(meaning[kind], kind));
  return section(
    title,
    owners,
    el('h4', { textContent: 'Read' }),
    words('read'),
    el('h4', { textContent: 'Write' }),
    words('write'),
    ...(s3 ? [quiet('Other users reach this bucket in the console and with S3 clients.')] : []),
    act('Change access', () => showAcl(name)),
  );
}

/** @type {TabContent} */
export async function versionsTab({ name, details, can, act }) {
  const { versioning, versioning_active: active, s3 } = details;
  const isSwitched = versioning === 'none' || versioning === 'stack' || s3;
  const nodes = [
    section(
      'Versions',
      quiet(versionsText(details)),
      quiet(
        active
          ? 'Overwritten and deleted objects are kept as versions, and take up space. “Deleted files” lists the deleted ones.'
          : s3
            ? 'Deleting adds a delete marker. Without a new version, overwritten objects are lost; versions that exist are kept.'
            : 'Deleted objects go to the trash. Overwritten objects are lost.',
      ),
      ...(may('admin') && can.object_versioning && isSwitched
        ? [act(active ? 'Suspend versions' : 'Keep versions', () => setVersions(name, !active, s3))]
        : []),
    ),
  ];
  if (s3 && details.s3_bucket) {
    const lock = await call('GET', `/api/files/lock?${query({ name })}`);
    nodes.push(
      section(
        'Object Lock',
        quiet('Protects versions from being deleted, for a time or until a legal hold is removed.'),
        factList(lockTexts(lock)),
        act(may('admin') ? 'Change Object Lock' : 'Show Object Lock', () => showBucketLock(name)),
      ),
    );
  }
  if (s3 && active && may('member')) {
    nodes.push(
      section(
        'Rewind',
        quiet('Restores a folder to its state at an earlier time. No version is lost.'),
        act('Rewind', () => showRewind(name)),
      ),
    );
  }
  return nodes;
}

/** @type {TabContent} */
export async function lifecycleTab({ name, details, act }) {
  if (!details.s3_bucket) {
    return [
      section(
        'Expiry',
        quiet('Each object can have its own expiry, which its details show.'),
        quiet(
          details.s3_shared
            ? 'Only owners of the account can see the rules of the bucket.'
            : 'Rules for the whole container need a bucket that S3 clients can see.',
        ),
      ),
    ];
  }
  const { rules } = await call('GET', `/api/files/lifecycle?${query({ name })}`);
  const list =
    rules.length === 0
      ? quiet('No rules: nothing is deleted or moved automatically.')
      : el('ol', { className: 'rules' }, ...rules.map((rule) => ruleItem(rule, details.s3, null)));
  return [
    section(
      'Lifecycle rules',
      list,
      act(may('admin') ? 'Edit lifecycle rules' : 'Show lifecycle rules', () =>
        showLifecycle(name, details.s3),
      ),
    ),
    section(
      'Unfinished uploads',
      quiet('Parts of uploads that were neither finished nor aborted take up space.'),
      act('Show unfinished uploads', () => showUnfinished(name)),
    ),
  ];
}

/** @type {TabContent} */
export async function dangerTab({ details, act }) {
  const text = keepsDeleted()
    ? 'Versions and delete markers are deleted, too. This cannot be undone.'
    : 'The objects do not go to the trash. This cannot be undone.';
  const remove = act('Empty or delete', () => removeContainer(details), 'danger');
  const made = section('Empty or delete this container', quiet(text), remove);
  made.classList.add('danger-zone');
  return [made];
}

/** @param {ContainerDetails} details */
function accessText(details) {
  return ACCESS[details.access ?? ''] ?? 'Unknown: only owners can see it';
}

/** @param {ContainerDetails} details */
function versionsText(details) {
  const { versioning, versioning_active: active, versions_container: place, s3 } = details;
  if (details.s3_unavailable) return 'Unknown: S3 did not answer';
  if (s3)
    return active ? 'S3 versioning is on' : 'S3 versioning is suspended: former versions are kept';
  const text = VERSIONING[versioning];
  if (place !== null) return `${text} (${shownText(place)})`;
  return versioning === 'stack' && !active ? 'Suspended: former versions are kept' : text;
}

/**
 * @param {string} title
 * @param {...Node} children
 */
function section(title, ...children) {
  return el('section', {}, el('h3', { textContent: title }), ...children);
}
