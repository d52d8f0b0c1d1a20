import { call, query } from '../../../ui/api.js';
import { section } from './container-tabs.js';
import { may } from './state.js';
import { showCors } from './s3/cors.js';
import { quiet } from './s3/fields.js';
import { showTags, tagList, tagsOf } from './s3/tags.js';
import type { TabContent } from './container-page.js';

/** The websites that may read a bucket, and its tags: both are of S3. */
export async function corsTagsTab({ name, details, act }: Parameters<TabContent>[0]) {
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
  const count = rules.length === 1 ? '1 rule.' : `${rules.length} rules.`;
  return [
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
    section(
      'Tags',
      tagList(tags),
      ...(may('admin') ? [act('Edit bucket tags', () => showTags({ container: name }, true))] : []),
    ),
  ];
}
