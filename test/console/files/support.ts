import { expect } from 'chai';
import type { Answer, ConsoleClient } from '../support/client.js';

/** Names that URL classes and file systems make others of (and that Swift keeps apart). */
export const EDGE_NAMES = [
  'a/../b',
  'a/./b',
  'a//b',
  '/lead',
  'trail/',
  'ü ☃?#%25&+=.txt',
  '<img src=x onerror=alert(1)>',
  'x'.repeat(1024),
];

export function query(parameters: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(parameters).map(([k, v]) => `${k}=${encodeURIComponent(v)}`);
  return pairs.join('&');
}

export async function ok(answer: Promise<Answer>, ...statuses: number[]): Promise<Answer> {
  const got = await answer;
  const wanted = statuses.length === 0 ? [200, 201, 202, 204] : statuses;
  expect(wanted, got.text).to.include(got.status);
  return got;
}

export async function makeContainer(client: ConsoleClient, name: string): Promise<void> {
  await ok(client.send('PUT', '/api/files/container', { body: { name } }), 204);
}

export function upload(
  client: ConsoleClient,
  container: string,
  name: string,
  body: string | Buffer,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return client.send('PUT', `/api/files/object/body?${query({ container, name, ...more })}`, {
    body,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(Buffer.byteLength(body)),
    },
  });
}

export function download(client: ConsoleClient, container: string, name: string): Promise<Answer> {
  return client.get(`/api/files/object/body?${query({ container, name })}`);
}

export interface ListedItem {
  readonly kind: string;
  readonly name: string;
  readonly display: string;
}

export interface Listed {
  readonly items: readonly ListedItem[];
  readonly next_marker: string | null;
  readonly previous_marker: string | null;
}

export async function list(
  client: ConsoleClient,
  container: string,
  more: Readonly<Record<string, string | number>> = {},
): Promise<Listed> {
  return (await ok(client.get(`/api/files/objects?${query({ container, ...more })}`), 200)).json();
}

export interface JobResult {
  readonly state: string;
  readonly result: {
    readonly succeeded: number;
    readonly failed: number;
    readonly failures: readonly { readonly name: string; readonly code: string }[];
  };
}

/** Starts a job and waits for its end. */
export async function job(client: ConsoleClient, path: string, body: object): Promise<JobResult> {
  const { job_id: id } = (await ok(client.post(path, body), 202)).json() as { job_id: string };
  for (;;) {
    const view = (await ok(client.get(`/api/jobs/${id}`), 200)).json() as JobResult;
    if (!['queued', 'running'].includes(view.state)) return view;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
