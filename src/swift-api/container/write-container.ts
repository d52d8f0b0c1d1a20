import type { ContainerAcl, ContainerHead, ContainerUpdate } from '../../backend/backend.js';
import { authorise, cleanAcl } from '../auth/authorise.js';
import type { Call } from '../call.js';
import { checkWritable, mayItsOwnerChange } from '../gateway/protection.js';
import { systemMetadataPatch } from '../gateway/system-metadata.js';
import { isHidden } from '../account/accounts.js';
import { POLICY } from '../limits.js';
import { metadataPatch } from '../metadata.js';
import { HTML, TEXT, plainReply, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ContainerTarget } from '../target.js';
import { findContainer } from './containers.js';

/** `PUT` of a container: makes it, or changes the one that is there. @throws SwiftError */
export async function putContainer(call: Call<ContainerTarget>): Promise<Reply> {
  const { api, context, target } = call;
  checkName(call);
  const head = await open(call);
  checkPolicy(call, head);
  const change = changesOf(call, head);
  const { metadata = {}, systemMetadata = {}, acl } = change;
  const input = { metadata: present(metadata), systemMetadata: present(systemMetadata), acl };
  const outcome =
    head === undefined ? await api.backend.createContainer(context, target, input) : 'exists';
  if (outcome === 'created') return plainReply(201);
  await api.backend.updateContainer(context, target, change);
  return plainReply(202);
}

/** `POST` to a container: changes its metadata and ACLs. @throws SwiftError */
export async function postContainer(call: Call<ContainerTarget>): Promise<Reply> {
  const isOwners = mayItsOwnerChange(call.headers, call.target.container);
  const head = await (isOwners ? find(call) : open(call));
  if (head === undefined) throw new SwiftError(404);
  const { api, context, target } = call;
  await api.backend.updateContainer(context, target, changesOf(call, head));
  return { status: 204, headers: [['Content-Type', HTML]] };
}

/** @throws SwiftError 409 when there are objects in it */
export async function deleteContainer(call: Call<ContainerTarget>): Promise<Reply> {
  const head = await open(call);
  if (head === undefined) throw new SwiftError(404);
  const { api, context, target } = call;
  await api.backend.deleteContainer(context, target);
  return { status: 204, headers: [['Content-Type', HTML]] };
}

async function open(call: Call<ContainerTarget>): Promise<ContainerHead | undefined> {
  const head = await find(call);
  await checkWritable(call, call.target, head);
  return head;
}

async function find(call: Call<ContainerTarget>): Promise<ContainerHead | undefined> {
  const { target } = call;
  const head = await findContainer(call, target);
  authorise(call, head, { ref: target, kind: 'write', isObject: false });
  return head;
}

function checkName({ target, api }: Call<ContainerTarget>): void {
  const bytes = Buffer.byteLength(target.container);
  const max = api.limits.containerNameBytesMax;
  if (bytes > max) {
    throw new SwiftError(400, `Container name length of ${bytes} longer than ${max}`);
  }
  if (isHidden(target.container)) throw new SwiftError(400, 'This container name is reserved');
}

function checkPolicy({ headers }: Call, head: ContainerHead | undefined): void {
  const policy = headers.get('x-storage-policy');
  if (policy === undefined || policy === '' || policy === POLICY) return;
  if (head !== undefined) throw new SwiftError(409);
  throw new SwiftError(400, `Invalid X-Storage-Policy '${policy}'`, HTML);
}

/** @param head - what the parts of the ACL that are not given are taken from */
function changesOf(call: Call, head: ContainerHead | undefined): ContainerUpdate {
  const { headers, api, gateway } = call;
  const acl = givenAcl(call, head?.acl ?? { read: '', write: '' });
  return {
    metadata: metadataPatch(headers, 'container', api.limits),
    ...(gateway ? { systemMetadata: systemMetadataPatch(headers, 'container') } : {}),
    ...(acl === undefined ? {} : { acl }),
  };
}

function givenAcl({ headers }: Call, current: ContainerAcl): ContainerAcl | undefined {
  const read = given(headers, 'read');
  const write = given(headers, 'write');
  if (read === undefined && write === undefined) return undefined;
  return { read: read ?? current.read, write: write ?? current.write };
}

function given(headers: Call['headers'], kind: 'read' | 'write'): string | undefined {
  if (headers.has(`x-remove-container-${kind}`)) return '';
  const list = headers.get(`x-container-${kind}`);
  return list === undefined ? undefined : cleanAcl(list, kind);
}

function present(patch: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(patch).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

/** Headers for middlewares that are not here are refused rather than ignored. */
const UNSUPPORTED = ['x-versions-enabled', 'x-versions-location', 'x-history-location'];

/** @throws SwiftError 501 */
export function refuseUnsupported({ headers }: Call): void {
  for (const name of UNSUPPORTED) {
    if (headers.has(name)) throw new SwiftError(501, `${name} is not served by this store\n`, TEXT);
  }
}
