import { bytesText } from '../../../ui/dom.js';
import { removeContainer } from './container-actions.js';
import { section, versionsText } from './container-tabs.js';
import { showQuota } from './quota.js';
import { sizeFacts } from './size-facts.js';
import { keepsDeleted, may } from './state.js';
import { factList, quiet } from './s3/fields.js';
import type { ContainerDetails } from '../container-details.js';
import type { Subject, TabContent } from './container-page.js';

const ACCESS: Readonly<Record<string, string>> = {
  public: 'Public: anyone can read it at the store’s address',
  shared: 'Shared with others',
  private: 'Private',
};

/** The facts of a bucket as a whole, its quota, and its end. */
export async function settingsTab(subject: Parameters<TabContent>[0]) {
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
