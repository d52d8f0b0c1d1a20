import { call, query } from '../../../ui/api.js';
import { bytesText, el, shownText } from '../../../ui/dom.js';
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
import type { ContainerDetails } from '../container-details.js';
import type { Subject, TabContent } from './container-page.js';

const ACCESS: Readonly<Record<string, string>> = {
  public: 'Public: anyone can read it at the store’s address',
  shared: 'Shared with others',
  private: 'Private',
};
const VERSIONING: Readonly<Record<ContainerDetails['versioning'], string>> = {
  stack: 'Versioning is on; versions kept in this container',
  archive: 'Versions kept in another container',
  history: 'Versions and deleted objects kept in another container',
  gateway: 'Versions kept by S3 versioning',
  none: 'Versioning is off',
};

export async function overviewTab({ name, details, can, act }: Parameters<TabContent>[0]) {
  const facts = factList({
    'Storage policy': details.policy ?? 'unknown',
    Objects: `${details.objects.toLocaleString()}, as counted by the store`,
    Size: bytesText(details.bytes),
    Quota: quotaText(details),
    Access: accessText(details),
    Versions: versionsText(details),
    S3: s3Text(details),
  });
  const buttons: Node[] = [];
  if (can.tempurl && details.versioning !== 'gateway' && view.prefix !== '' && may('member')) {
    const share = () => showShare({ prefix: view.prefix });
    buttons.push(act(`Share folder ${shownText(view.prefix)}`, share));
  }
  if (can.quotas && may('admin')) buttons.push(act('Edit quota', () => showQuota(details)));
  if (details.s3_bucket) {
    buttons.push(act('Edit bucket tags', () => showTags({ container: name }, may('admin'))));
  }
  return [section('Details', facts, el('div', { className: 'row' }, ...buttons))];
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

export async function accessTab({ name, details, act }: Parameters<TabContent>[0]) {
  const nodes = [await rulesOf(details, act), sharingOf(details, act)];
  if (details.s3_bucket) {
    const { rules } = await call('GET', `/api/files/cors?${query({ name })}`);
    const count = rules.length === 1 ? '1 rule.' : `${rules.length} rules.`;
    nodes.push(
      section(
        'Cross-origin access (CORS)',
        quiet('Websites that can access this bucket from a browser.'),
        quiet(
          rules.length === 0
            ? 'No rules. Browsers block other websites from reading the bucket.'
            : count,
        ),
        act(may('admin') ? 'Edit CORS rules' : 'View CORS rules', () => showCors(name)),
      ),
    );
  }
  return nodes;
}

/** How single objects are shared. */
function sharingOf(
  { name, versioning, s3, tempurl_keys: keys }: ContainerDetails,
  act: Subject['act'],
) {
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
      : 'TempURLs of this container are signed with a key that is never displayed.';
  const rotate = keys > 0 && may('admin') ? [act('Create new key', () => rotateKey(name))] : [];
  return section('TempURL key', quiet(text), ...rotate);
}

async function rulesOf({ name, s3 }: ContainerDetails, act: Subject['act']) {
  const title = 'Access rules';
  const owners = quiet('Account owners can always read and write.');
  if (!may('admin')) return section(title, owners, quiet('Only admins can view access rules.'));
  const lists = await call('GET', `/api/files/acl?${query({ name })}`);
  const meaning = await call('POST', '/api/files/acl/preview', {
    read: lists.read,
    write: lists.write,
  });
  const words = (kind: 'read' | 'write') =>
    el('ul', { className: 'words' }, ...aclLines(meaning[kind], kind));
  return section(
    title,
    owners,
    el('h4', { textContent: 'Read' }),
    words('read'),
    el('h4', { textContent: 'Write' }),
    words('write'),
    ...(s3
      ? [quiet('Other users can access this bucket in the console and with S3 clients.')]
      : []),
    act('Edit access', () => showAcl(name)),
  );
}

export async function versionsTab({ name, details, can, act }: Parameters<TabContent>[0]) {
  const { versioning, versioning_active: active, s3 } = details;
  const isSwitched = versioning === 'none' || versioning === 'stack' || s3;
  const nodes = [
    section(
      'Versions',
      quiet(versionsText(details)),
      quiet(
        active
          ? 'Overwritten and deleted objects are kept as versions and use storage. Find deleted objects under “Deleted files”.'
          : s3
            ? 'New versions are not created. Deleting an object adds a delete marker. Existing versions are kept.'
            : 'Deleted objects go to the trash. Overwritten objects are permanently lost.',
      ),
      ...(may('admin') && can.object_versioning && isSwitched
        ? [
            act(active ? 'Suspend versioning' : 'Enable versioning', () =>
              setVersions({ name, s3 }, !active),
            ),
          ]
        : []),
    ),
  ];
  if (s3 && details.s3_bucket) {
    const lock = await call('GET', `/api/files/lock?${query({ name })}`);
    nodes.push(
      section(
        'Object Lock',
        quiet(
          'Prevents versions from being deleted for a retention period or until a legal hold is removed.',
        ),
        factList(lockTexts(lock)),
        act(may('admin') ? 'Edit Object Lock' : 'View Object Lock', () => showBucketLock(name)),
      ),
    );
  }
  if (s3 && active && may('member')) {
    nodes.push(
      section(
        'Rewind',
        quiet('Restores a folder to an earlier point in time. No versions are lost.'),
        act('Rewind', () => showRewind(name)),
      ),
    );
  }
  return nodes;
}

export async function lifecycleTab({ name, details, act }: Parameters<TabContent>[0]) {
  if (!details.s3_bucket) {
    return [
      section(
        'Expiry',
        quiet('Each object can have its own expiry, shown in its details.'),
        quiet(
          details.s3_shared
            ? "Only account owners can view the bucket's lifecycle rules."
            : 'Lifecycle rules for the whole container require a bucket that is visible to S3 clients.',
        ),
      ),
    ];
  }
  const { rules } = await call('GET', `/api/files/lifecycle?${query({ name })}`);
  const list =
    rules.length === 0
      ? quiet('No rules. Nothing is deleted or moved automatically.')
      : el('ol', { className: 'rules' }, ...rules.map((rule) => ruleItem(rule, details.s3, null)));
  return [
    section(
      'Lifecycle rules',
      list,
      act(may('admin') ? 'Edit lifecycle rules' : 'View lifecycle rules', () =>
        showLifecycle(name, details.s3),
      ),
    ),
    section(
      'Incomplete multipart uploads',
      quiet(
        'Parts of incomplete multipart uploads use storage until the uploads are completed or aborted.',
      ),
      act('View incomplete multipart uploads', () => showUnfinished(name)),
    ),
  ];
}

export async function dangerTab({ details, act }: Parameters<TabContent>[0]) {
  const text = keepsDeleted()
    ? 'All versions and delete markers are also deleted. This cannot be undone.'
    : 'Objects are not moved to the trash. This cannot be undone.';
  const remove = act('Empty or delete', () => removeContainer(details), 'danger');
  const made = section('Empty or delete this container', quiet(text), remove);
  made.classList.add('danger-zone');
  return [made];
}

function accessText(details: ContainerDetails) {
  return ACCESS[details.access ?? ''] ?? 'Unknown (visible to owners only)';
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
