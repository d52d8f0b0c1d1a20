import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { list } from '../console/files/support.js';
import type { ConsoleClient } from '../console/support/client.js';

/** Names of more than letters; the last one is as long as a file's may be. */
const ODD_NAMES = [
  ...['per%20cent%', 'hash#q?', 'ü ☃ 😀', 'e\u0301', '<b>', `"quoted'`, 'semi;:,=+&*'],
  ...['back\\slash', 'new\nline', '.hidden', '...', ' around ', 'n'.repeat(255)],
];

/** Files below a folder, in folders of several depths. @returns their paths, in order */
export async function makeFolder(folder: string, count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let i = 0; i < count; i++) {
    const levels = i < ODD_NAMES.length ? i % 5 : 1;
    const below = Array.from({ length: levels }, (_, depth) => `level #${depth}`);
    const path = [...below, ODD_NAMES[i] ?? `file-${i}`].join('/');
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `${i} `.repeat(i));
    paths.push(`${basename(folder)}/${path}`);
  }
  return paths.sort(compareBytes);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The names of a container that begin so, in order. */
export async function namesBelow(
  client: ConsoleClient,
  container: string,
  prefix = '',
): Promise<string[]> {
  const { items } = await list(client, container, { prefix, delimiter: '', limit: 1000 });
  return items.map(({ name }) => name);
}

/** Lets a folder fall onto the page, as from a file manager. */
export async function drop(page: Page, folder: string): Promise<void> {
  const input = await page.context().newCDPSession(page);
  await page.evaluate('scrollTo(0, 0)');
  const box = (await page.locator('#main').boundingBox())!;
  // Near its top: the rest may be below the window.
  const at = { x: box.x + box.width / 2, y: box.y + 50 };
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await input.send('Input.dispatchDragEvent', { type, ...at, data });
  }
}

/** Resolves when so many requests that send something to a path have succeeded. */
export function finished(page: Page, path: string, count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    page.on('response', (response) => {
      if (new URL(response.url()).pathname !== path) return;
      if (response.status() === 201 && --left === 0) resolve();
    });
  });
}

/** How many of its requests with bodies a page still holds: each holds its file too. */
export async function countRequests(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: 'XMLHttpRequest.prototype',
  });
  const prototypeObjectId = result.objectId!;
  const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId });
  const { result: count } = await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId!,
    functionDeclaration: 'function () { return this.length; }',
    returnByValue: true,
  });
  await session.detach();
  return count.value as number;
}

/** The number of the segment that a request sends. */
export function segmentOf(request: Request): string | undefined {
  const url = new URL(request.url());
  if (request.method() !== 'PUT' || url.pathname !== '/api/files/uploads/segment') return undefined;
  return url.searchParams.get('index') ?? undefined;
}

export async function md5Of(file: string): Promise<string> {
  const hash = createHash('md5');
  const stream = createReadStream(file).on('data', (chunk) => hash.update(chunk));
  await once(stream, 'end');
  return hash.digest('hex');
}
