import type { ObjectPage } from '../../../backend/backend.js';
import { isCode } from '../backend-codes.js';
import { archiveContainer } from '../names.js';
import type { CallCount } from './call-count.js';
import type { VersionsSource } from './key-reader.js';
import type { List } from './listing-reader.js';

/** The listings that versions are found with, each call counted. */

type Place = Pick<VersionsSource, 'backend' | 'call' | 'account' | 'bucket'>;

export function bucketList({ backend, call, account, bucket }: Place, calls: CallCount): List {
  const container = { account, container: bucket };
  return (query) => calls.made(backend.listObjects(call, container, query));
}

/** Empty where there is no archive: a bucket that never kept versions has none. */
export function archiveList({ backend, call, account, bucket }: Place, calls: CallCount): List {
  const container = archiveContainer(account, bucket);
  return async (query) => {
    try {
      return await calls.made(backend.listObjects(call, container, query));
    } catch (error) {
      if (isCode(error, 'NoSuchContainer')) return NOTHING;
      throw error;
    }
  };
}

const NOTHING: ObjectPage = { entries: [], truncated: false };
