import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Answer, ConsoleClient } from '../support/client.js';
import type { TestStore } from '../support/store.js';

/** A name for a container, of which a cluster keeps those of former runs. */
export function unique(name: string): string {
  return `${name}-${randomBytes(4).toString('hex')}`;
}

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

/** With any name: also with one that S3 clients cannot see. */
export async function makeContainer(client: ConsoleClient, name: string): Promise<void> {
  const body = { name, hidden_from_s3: true };
  await ok(client.send('PUT', '/api/files/container', { body }), 204);
}

export function upload(
  client: ConsoleClient,
  container: string,
  name: string,
  body: string | Buffer,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return putBytes(client, `/api/files/object/body?${query({ container, name, ...more })}`, body);
}

function putBytes(client: ConsoleClient, path: string, body: string | Buffer): Promise<Answer> {
  const length = String(Buffer.byteLength(body));
  const headers = { 'content-type': 'application/octet-stream', 'content-length': length };
  return client.send('PUT', path, { body, headers });
}

/** A file that is uploaded in segments, as a page describes it. */
export function fileOf(container: string, name: string, bytes: number) {
  return { container, name, size_bytes: bytes, mtime_ms: 1, fingerprint: 'abcdef01'.repeat(2) };
}

export function putSegment(
  client: ConsoleClient,
  file: ReturnType<typeof fileOf>,
  index: number,
  body: Buffer,
): Promise<Answer> {
  return putBytes(client, `/api/files/uploads/segment?${query({ ...file, index })}`, body);
}

/** Two segments and their manifest. @returns what the object holds */
export async function uploadSegments(
  client: ConsoleClient,
  container: string,
  name: string,
  segmentBytes: number,
): Promise<Buffer> {
  const body = Buffer.alloc(segmentBytes + 5, 'x');
  const file = fileOf(container, name, body.length);
  await ok(client.post('/api/files/uploads', file), 200);
  for (const index of [0, 1]) {
    const part = body.subarray(index * segmentBytes, (index + 1) * segmentBytes);
    await ok(putSegment(client, file, index, part), 201);
  }
  await ok(client.post('/api/files/uploads/finish', file), 201);
  return body;
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
  return await client.read(`/api/files/objects?${query({ container, ...more })}`);
}

export interface JobResult {
  readonly id: string;
  readonly state: string;
  readonly result: {
    readonly succeeded: number;
    readonly failed: number;
    readonly failures: readonly {
      readonly name: string;
      readonly code: string;
      readonly message: string;
    }[];
    readonly undoable?: number;
  };
}

export interface TrashItem {
  readonly trash_name: string;
  readonly name: string;
}

export async function listTrash(client: ConsoleClient, container: string): Promise<TrashItem[]> {
  const path = `/api/files/trash?${query({ container })}`;
  return (await client.read<{ items: TrashItem[] }>(path)).items;
}

/** Moves an object to the trash. */
export async function throwAway(
  client: ConsoleClient,
  container: string,
  name: string,
): Promise<void> {
  const body = { container, names: [name], mode: 'trash' };
  expect((await job(client, '/api/files/delete', body)).result).to.include({
    succeeded: 1,
    failed: 0,
  });
}

/** Restores what was moved to the trash last. */
export async function bringBack(client: ConsoleClient, container: string): Promise<void> {
  const [entry] = await listTrash(client, container);
  const body = { container, trash_names: [entry!.trash_name], on_conflict: 'fail' };
  expect((await job(client, '/api/files/trash/restore', body)).result.succeeded).to.equal(1);
}

/** @returns the path of a download of what `body` names */
export async function zipTicket(client: ConsoleClient, body: object): Promise<string> {
  const answer = await ok(client.post('/api/files/zip', body), 200);
  const { ticket } = answer.json() as { ticket: string };
  return `/api/files/zip/${ticket}`;
}

/** A request of an owner to the store itself, past the console. */
export type AskStore = (
  method: string,
  path: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
) => Promise<Response>;

/** Logs in at the store as test:tester. Paths begin with the container. */
export async function askStore(store: TestStore): Promise<AskStore> {
  const login = await fetch(store.authUrl, {
    headers: { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' },
  });
  const token = { 'x-auth-token': login.headers.get('x-auth-token') ?? '' };
  const base = login.headers.get('x-storage-url') ?? '';
  return (method, path, headers = {}, body) =>
    fetch(`${base}/${path}`, {
      method,
      headers: { ...token, ...headers },
      ...(body === undefined ? {} : { body }),
    });
}

/** Starts a job and waits for its end. */
export async function job(client: ConsoleClient, path: string, body: object): Promise<JobResult> {
  const events = client.events();
  // The stream is open as soon as it says where it is.
  await events.next();
  const { job_id: id } = (await ok(client.post(path, body), 202)).json() as { job_id: string };
  for await (const { event, data } of events) {
    const { id: changed, state } = data as { id: string; state: string };
    if (event === 'jobs' && changed === id && !['queued', 'running'].includes(state)) break;
  }
  return await client.read(`/api/jobs/${id}`);
}

type Body = Readonly<Record<string, unknown>>;

/** Where a page reads what it changes. */
function viewOf(what: string, body: Body): string {
  const names = { object: ['container', 'name'], tags: ['container', 'name', 'version_id'] }[what];
  const parameters = (names ?? ['name']).filter((name) => body[name] !== undefined);
  const given = Object.fromEntries(parameters.map((name) => [name, String(body[name])]));
  return `/api/files/${what === 'quota' ? 'container' : what}?${query(given)}`;
}

/** The state that a page is shown before it changes something, as it sends it back. */
export async function shown(client: ConsoleClient, what: string, body: Body): Promise<unknown> {
  const answer = await client.get(viewOf(what, body));
  const view = answer.json() as Record<string, unknown>;
  if (what === 'quota') return { bytes: view.quota_bytes, objects: view.quota_objects };
  if (what === 'lifecycle' || what === 'cors') return view.digest ?? 'none';
  if (what === 'tags') return view.tags ?? [];
  const names = {
    acl: ['read', 'write'],
    lock: ['enabled', 'default_retention'],
    object: ['etag', 'last_modified', 'content_type', 'delete_at_unix_s', 'meta'],
  }[what];
  const parts = Object.fromEntries((names ?? []).map((name) => [name, view[name]]));
  if (answer.status === 200) return parts;
  const nothing = {
    etag: '',
    last_modified: '',
    content_type: '',
    delete_at_unix_s: null,
    meta: {},
  };
  if (what === 'acl') return { read: '', write: '' };
  return what === 'lock' ? { enabled: false, default_retention: null } : nothing;
}

/** Changes something as a page does that has just been opened. */
export async function change(client: ConsoleClient, what: string, body: Body): Promise<Answer> {
  const was = await shown(client, what, body);
  const method = what === 'object' ? 'PATCH' : 'PUT';
  return client.send(method, `/api/files/${what}`, { body: { ...body, was } });
}
