import { call, query } from '../../../ui/api.js';
import { el, shownText } from '../../../ui/dom.js';
import { aclLines, showAcl } from './acl.js';
import { removeKeys, rotateKey, setVersions } from './container-actions.js';
import { sizeFacts } from './size-facts.js';
import { go, may, view } from './state.js';
import { lockTexts, showBucketLock } from './s3/bucket-lock.js';
import { factList, quiet } from './s3/fields.js';
import { ruleItem, showLifecycle } from './s3/lifecycle.js';
import { showRewind } from './s3/rewind.js';
import { showUnfinished } from './s3/unfinished.js';
import { showShare } from './share.js';
import type { ContainerDetails } from '../container-details.js';
import type { Subject, TabContent } from './container-page.js';

const VERSIONING: Readonly<Record<ContainerDetails['versioning'], string>> = {
  stack: 'Versioning is on; versions kept in this bucket',
  archive: 'Versions kept in another bucket',
  history: 'Versions and deleted objects kept in another bucket',
  gateway: 'Versions kept by S3 versioning',
  none: 'Versioning is off',
};

export async function accessTab({ details, can, act }: Parameters<TabContent>[0]) {
  return [await rulesOf(details, act), sharingOf(details, act), ...sharedFolder(details, can, act)];
}

/** The folder that is open can be shared as a whole, where the store takes URLs that do so. */
function sharedFolder({ versioning }: ContainerDetails, can: Subject['can'], act: Subject['act']) {
  const { prefix } = view;
  if (!can.tempurl || versioning === 'gateway' || prefix === '' || !may('member')) return [];
  const text = `A URL that opens all objects whose names start with “${shownText(prefix)}”.`;
  const share = act(`Share folder ${shownText(prefix)}`, () => showShare({ prefix }));
  return [section('Folder', quiet(text), share)];
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
      : 'TempURLs of this bucket are signed with a key that is never displayed.';
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
      ...(versioning === 'stack' || versioning === 'gateway'
        ? [sizeFacts(name, ['noncurrent'])]
        : []),
      el(
        'div',
        { className: 'row' },
        ...(active ? [act('Show deleted files', () => go(name, view.prefix, 'trash'))] : []),
        ...(may('admin') && can.object_versioning && isSwitched
          ? [
              act(active ? 'Suspend versioning' : 'Enable versioning', () =>
                setVersions({ name, s3 }, !active),
              ),
            ]
          : []),
      ),
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
            : 'Lifecycle rules for the whole bucket require a bucket that is visible to S3 clients.',
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
  ];
}

/** Multipart uploads that were begun and never finished. */
export async function uploadsTab({ name, details, act }: Parameters<TabContent>[0]) {
  const title = 'Incomplete multipart uploads';
  if (!details.s3_bucket) {
    const text = 'Multipart uploads are of S3 clients. This bucket is not visible to them.';
    return [section(title, quiet(text))];
  }
  return [
    section(
      title,
      quiet(
        'Parts of incomplete multipart uploads use storage until the uploads are completed or aborted.',
      ),
      sizeFacts(name, ['uploads']),
      act('View incomplete multipart uploads', () => showUnfinished(name)),
    ),
  ];
}

export function versionsText(details: ContainerDetails) {
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

export function section(title: string, ...children: Node[]) {
  return el('section', {}, el('h3', { textContent: title }), ...children);
}
