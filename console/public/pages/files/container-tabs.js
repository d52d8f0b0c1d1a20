import { call, query } from '../../js/api.js';
import { bytesText, el, shownText } from '../../js/dom.js';
import { aclLines, showAcl } from './acl.js';
import { removeContainer, rotateKey, setVersions } from './container-actions.js';
import { showQuota } from './quota.js';
import { keepsDeleted, may, view } from './state.js';
import { showBucketLock } from './s3/bucket-lock.js';
import { showCors } from './s3/cors.js';
import { factList, quiet } from './s3/fields.js';
import { ruleItem, showLifecycle } from './s3/lifecycle.js';
import { showRewind } from './s3/rewind.js';
import { showTags } from './s3/tags.js';
import { showUnfinished } from './s3/unfinished.js';
import { showTempUrl } from './tempurl.js';

/**
 * @typedef {import('./container-page.js').TabContent} TabContent
 * @typedef {import('./state.js').ContainerDetails} ContainerDetails
 */

/** @type {Readonly<Record<string, string>>} */
const ACCESS = {
  public: 'Public: everybody may read it',
  shared: 'Shared with others',
  private: 'Private',
};
/** @type {Readonly<Record<ContainerDetails['versioning'], string>>} */
const VERSIONING = {
  stack: 'Kept in the container',
  archive: 'Kept in another container',
  history: 'Kept in another container, deletions too',
  gateway: 'Kept by S3, for S3 clients',
  none: 'Not kept by the store',
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
    S3: details.s3_bucket
      ? 'a bucket, which S3 clients see under this name'
      : 'not seen as a bucket',
  });
  /** @type {Node[]} */
  const buttons = [];
  if (can.tempurl && view.prefix !== '' && may('member')) {
    const share = () => showTempUrl({ prefix: view.prefix });
    buttons.push(act(`Share all below ${shownText(view.prefix)}`, share));
  }
  if (can.quotas && may('admin')) buttons.push(act('Change quota', () => showQuota(details)));
  if (details.s3_bucket) {
    buttons.push(act('Bucket tags', () => showTags({ container: name }, may('admin'))));
  }
  return [section('What it holds', facts, el('div', { className: 'row' }, ...buttons))];
}

/** @param {ContainerDetails} details */
function quotaText({ quota_bytes: bytes, quota_objects: objects }) {
  const texts = [];
  if (bytes !== null) texts.push(bytesText(bytes));
  if (objects !== null) texts.push(`${objects.toLocaleString()} objects`);
  return texts.join(', ') || 'none';
}

/** @type {TabContent} */
export async function accessTab({ name, details, act }) {
  const nodes = [await rulesOf(name, act)];
  const keys = details.tempurl_keys;
  const keysText =
    keys === 0
      ? 'No key yet: the first TempURL makes one. It stays between the console and the store.'
      : 'TempURLs of this container are signed with a key that stays between the console and the store.';
  nodes.push(
    section(
      'Keys for URLs',
      quiet(keysText),
      ...(keys > 0 && may('admin') ? [act('New key for URLs', () => rotateKey(name))] : []),
    ),
  );
  if (details.s3_bucket) {
    nodes.push(
      section(
        'Other web sites',
        quiet('CORS rules say which web sites may use the bucket from a browser.'),
        act('CORS rules', () => showCors(name)),
      ),
    );
  }
  return nodes;
}

/**
 * @param {string} name
 * @param {import('./container-page.js').Subject['act']} act
 */
async function rulesOf(name, act) {
  const title = 'Access rules';
  const owners = quiet('The owners of the account may always do both.');
  if (!may('admin')) return section(title, owners, quiet('The rules are shown to admins alone.'));
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
          ? 'What is overwritten or deleted stays, and takes room. “Deleted files” lists what was deleted.'
          : 'What is deleted goes to the trash. What is overwritten is gone.',
      ),
      ...(may('admin') && can.object_versioning && isSwitched
        ? [act(active ? 'Suspend versions' : 'Keep versions', () => setVersions(name, !active))]
        : []),
    ),
  ];
  if (s3) {
    nodes.push(
      section(
        'Object Lock',
        quiet('Protects versions against deletion, for a time or until the hold is taken off.'),
        act('Object Lock', () => showBucketLock(name)),
      ),
    );
    if (active && may('member')) {
      nodes.push(
        section(
          'Rewind',
          quiet('Takes what is below a folder back to what it was at a time. No version is lost.'),
          act('Rewind', () => showRewind(name)),
        ),
      );
    }
  }
  return nodes;
}

/** @type {TabContent} */
export async function lifecycleTab({ name, details, act }) {
  if (!details.s3_bucket) {
    return [
      section(
        'Expiry',
        quiet('Each object may have an expiry of its own: see its properties.'),
        quiet('Rules for a whole container are those of S3, where it is a bucket of S3.'),
      ),
    ];
  }
  const { rules } = await call('GET', `/api/files/lifecycle?${query({ name })}`);
  const list =
    rules.length === 0
      ? quiet('No rules: nothing is deleted or moved by itself.')
      : el('ol', { className: 'rules' }, ...rules.map((rule) => ruleItem(rule, null)));
  return [
    section(
      'Lifecycle rules',
      list,
      act('Lifecycle rules', () => showLifecycle(name, details.s3)),
    ),
    section(
      'Unfinished uploads',
      quiet('Parts of uploads that were neither finished nor aborted take room.'),
      act('Unfinished uploads', () => showUnfinished(name)),
    ),
  ];
}

/** @type {TabContent} */
export async function dangerTab({ details, act }) {
  const text = keepsDeleted()
    ? 'All versions and what was deleted go, too. This cannot be undone.'
    : 'Nothing of it goes into the trash. This cannot be undone.';
  const remove = act('Empty or delete', () => removeContainer(details), 'danger');
  const made = section('Empty or delete this container', quiet(text), remove);
  made.classList.add('danger-zone');
  return [made];
}

/** @param {ContainerDetails} details */
function accessText(details) {
  return ACCESS[details.access ?? ''] ?? 'unknown: only owners see it';
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
