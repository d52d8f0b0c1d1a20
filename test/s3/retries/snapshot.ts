import type { Backend } from '../../../src/backend/backend.js';
import { segmentsContainer } from '../../../src/s3/segments/names.js';
import type { Answer, Gateway } from './gateway.js';

/**
 * All that an account's clients can see, as lines of text that are the same for two accounts in which
 * the same has happened: without ids and times.
 */
export async function snapshot(
  gateway: Gateway,
  store: Backend,
  account: string,
): Promise<readonly string[]> {
  const seen: string[] = [];
  const look = async (target: string): Promise<string> => {
    const answer = await gateway.send({ line: `GET ${target}` });
    seen.push(`${plainText(target)} ${plain(answer)}`);
    return answer.text;
  };
  for (const [bucket = ''] of found(await look('/'), /<Name>([^<]*)<\/Name>/g)) {
    for (const name of BUCKET_SUBRESOURCES) await look(`/${bucket}?${name}`);
    const listed = await look(`/${bucket}?list-type=2`);
    const versions = await look(`/${bucket}?versions`);
    const uploads = await look(`/${bucket}?uploads`);
    for (const [key = ''] of found(listed, KEY)) {
      for (const name of OBJECT_SUBRESOURCES) await look(`/${bucket}/${key}${name}`);
    }
    for (const [key = '', id = ''] of found(versions, /<Key>(.*?)<\/Key><VersionId>(.*?)</g)) {
      await look(`/${bucket}/${key}?versionId=${id}`);
      for (const name of ['retention', 'legal-hold', 'acl', 'tagging']) {
        await look(`/${bucket}/${key}?${name}&versionId=${id}`);
      }
    }
    for (const [key = '', id = ''] of found(uploads, /<Key>(.*?)<\/Key><UploadId>(.*?)</g)) {
      await look(`/${bucket}/${key}?uploadId=${id}`);
    }
    const parts = segmentsContainer(account, bucket);
    const head = await store.headContainer({ requestId: 'look' }, parts).catch(() => undefined);
    seen.push(`/${bucket} parts ${JSON.stringify(head?.acl)}`);
  }
  return seen;
}

const BUCKET_SUBRESOURCES = [
  ...['acl', 'cors', 'lifecycle', 'object-lock', 'policy', 'tagging', 'versioning'],
] as const;
const OBJECT_SUBRESOURCES = ['', '?acl', '?tagging'] as const;
const KEY = /<Key>([^<]*)<\/Key>/g;

function found(text: string, pattern: RegExp): readonly string[][] {
  return [...text.matchAll(pattern)].map(([, ...groups]) => groups);
}

/** An answer without what differs from one to the next. */
export function plain({ status, headers, text }: Answer): string {
  const kept = [...headers]
    .filter(([name]) => !VOLATILE.has(name))
    .map(([name, value]) => `${name}: ${plainText(value)}`);
  return [String(status), ...kept.sort(), plainText(text)].join('\n  ');
}

const VOLATILE: ReadonlySet<string> = new Set(['x-amz-request-id', 'x-amz-id-2', 'last-modified']);

function plainText(text: string): string {
  return text
    .replace(/\bfff[0-9a-f]{29}\b/g, '<version>')
    .replace(/\b01[0-9a-f]{30}\b/g, '<upload>')
    .replace(/<(RequestId|HostId)>[^<]*</g, '<$1><')
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '<time>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}
