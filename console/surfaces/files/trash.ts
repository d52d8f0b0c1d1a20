import { createHash, randomBytes } from 'node:crypto';
import type { Changes } from '../../server/changes.js';
import type { SwiftAccount } from '../../swift/account.js';
import { SwiftStatusError } from '../../swift/errors.js';
import { headerText } from '../../swift/login.js';
import { ApiError } from '../../server/api-error.js';
import { copyObject, type Place } from './copy-object.js';
import type { Tally } from './many.js';
import { trashOf } from './names.js';
import {
  expectAsLeft,
  expectNoS3Version,
  freshHeaders,
  objectInfo,
  ownMeta,
  removeAsCopied,
} from './object-info.js';
import { walkObjects } from './swift-listing.js';
import type { Transfer } from './transfer-plan.js';
import type { OnTaken, TransferJob } from './transfers.js';

/**
 * The trash of a container is `<container>+trash`, an object in it
 *
 *     <13 digits of ms>-<8 hex>/<name>            or, where that would be too long,
 *     <13 digits of ms>-<8 hex>/~<sha256 of the name>   with the name in X-Object-Meta-Trash-Name-<n>
 *
 * The name goes with the copy, in pieces as long as a value may be, and not into an object beside
 * it: there is no moment in which one is there without the other.
 */
const ENTRY = /^(?<ms>\d{13})-[0-9a-f]{8}\/(?<name>[^]+)$/;
const NAME_BYTES_MAX = 1024;
const DAY_S = 86_400;
const LONG_NAME = /^~[0-9a-f]{64}$/;
const VALUE_BYTES_MAX = 256;

/** @returns undefined for what is none */
export function parseTrashName(trashName: string) {
  const groups = ENTRY.exec(trashName)?.groups;
  if (groups?.ms === undefined || groups.name === undefined) return undefined;
  return { deletedMs: Number(groups.ms), name: groups.name };
}

/** @returns the name that something had before; undefined where that is lost */
export function nameInTrash(
  trashName: string,
  meta: Readonly<Record<string, string>>,
): string | undefined {
  const parsed = parseTrashName(trashName);
  if (parsed === undefined || !LONG_NAME.test(parsed.name)) return parsed?.name;
  let text = '';
  for (let index = 0; ; index++) {
    const piece = meta[`trash-name-${index}`];
    if (piece === undefined) break;
    text += piece;
  }
  return text === '' ? undefined : Buffer.from(text, 'base64url').toString('utf8');
}

export interface TrashOptions {
  readonly by: string;
  readonly days: number;
  readonly nowMs: number;
  readonly changes: Changes;
  /** The mark that the object must have: see `expectAsLeft`. */
  readonly as?: string | undefined;
}

/**
 * Moves an object into the trash: a copy inside the store, then a deletion that leaves segments
 * alone.
 * @throws SwiftStatusError 404, 412; ApiError conflict where it was overwritten between the two: the
 *   trash has what was there before
 */
export async function moveToTrash(
  store: SwiftAccount,
  container: string,
  object: string,
  { by, days, nowMs, changes, as }: TrashOptions,
): Promise<string> {
  const info = await objectInfo(store, container, object);
  expectNoS3Version(info);
  expectAsLeft(info.timestamp, as);
  const folder = `${String(nowMs).padStart(13, '0')}-${randomBytes(4).toString('hex')}/`;
  const fits = Buffer.byteLength(folder + object) <= NAME_BYTES_MAX;
  const trashName =
    folder + (fits ? object : `~${createHash('sha256').update(object).digest('hex')}`);
  const meta = {
    'trash-by': by,
    'trash-at': String(Math.floor(nowMs / 1000)),
    ...(info.deleteAtUnixS === null ? {} : { 'trash-delete-at': String(info.deleteAtUnixS) }),
    ...(fits ? {} : nameInPieces(object)),
  };
  const to = { container: trashOf(container), object: trashName };
  // Without what others have set under names of the trash.
  const headers = {
    ...freshHeaders(info, { ...ownMeta(info.meta), ...meta }),
    'x-delete-after': String(days * DAY_S),
  };
  const copy = () => copyObject(store, { container, object }, to, info, headers);
  await copy().catch(async (error: unknown) => {
    // To users with rights of a single container, a missing one is forbidden.
    if (!(error instanceof SwiftStatusError && [403, 404].includes(error.status))) throw error;
    // The first of its container, or gone meanwhile, which the second try tells.
    await changes.ofContainer(store, container, () => makeTrash(store, container)).catch(orNoTrash);
    await copy().catch(orNoTrash);
  });
  await removeAsCopied(store, { container, object }, info);
  return trashName;
}

/** Deleted objects are stored as they were, and open to those who may write in their container. */
async function makeTrash(store: SwiftAccount, container: string): Promise<void> {
  const { headers } = await store.do([200, 204], 'HEAD', { container });
  const policy = headers['x-storage-policy'];
  const write = String(headers['x-container-write'] ?? '');
  await store.do([201, 202], 'PUT', {
    container: trashOf(container),
    headers: {
      ...(typeof policy === 'string' ? { 'x-storage-policy': policy } : {}),
      ...(write === '' ? {} : trashAcl(write)),
    },
  });
  // Rules that another client has set meanwhile found no trash to be set there.
  const { headers: now } = await store.do([200, 204], 'HEAD', { container });
  const present = String(now['x-container-write'] ?? '');
  if (present === write) return;
  const lists = trashAcl(present);
  await store.do([202, 204], 'POST', { container: trashOf(container), headers: lists });
}

/**
 * Opens the trash of a container only to users who may write in it: users whose rights are the
 * container's alone can neither make a trash nor let themselves into it.
 * @param write the container's own list
 */
export async function shareTrash(
  store: SwiftAccount,
  container: string,
  write: string,
): Promise<void> {
  const trash = trashOf(container);
  const { status } = await store.do([200, 204, 404], 'HEAD', { container: trash });
  if (status !== 404) {
    const headers = trashAcl(headerText(write));
    await store.do([202, 204], 'POST', { container: trash, headers });
  } else if (write !== '') await makeTrash(store, container);
}

/** A user who deletes must also be able to find and to restore what was deleted. */
function trashAcl(write: string): Readonly<Record<string, string>> {
  return { 'x-container-read': write, 'x-container-write': write };
}

function orNoTrash(error: unknown): never {
  if (!(error instanceof SwiftStatusError && error.status === 403)) throw error;
  throw new ApiError(
    'acl',
    "The bucket has no trash that you can use. Ask an admin to save the bucket's access rules, which creates one.",
  );
}

/**
 * Restores objects with fresh metadata: otherwise a copy would keep the expiry of the trash, and
 * expire in its place.
 */
export function restoreJob(container: string, onTaken: OnTaken, nowMs: number): TransferJob {
  return {
    container: trashOf(container),
    to_container: container,
    removes: true,
    onTaken,
    rename: (object, taken) =>
      `${object} (restored ${nowMs}${taken === 1 ? '' : ` ${String(taken)}`})`,
    taken: () => new ApiError('restore_target_exists', 'An object with this name already exists.'),
    headers: (info) => {
      const deleteAt = Number(info.meta['trash-delete-at'] ?? 0);
      return {
        ...freshHeaders(info, ownMeta(info.meta)),
        ...(deleteAt * 1000 > nowMs ? { 'x-delete-at': String(deleteAt) } : {}),
      };
    },
  };
}

/** Entries of the trash and the names that they had. What is none is told. @throws SwiftStatusError */
export async function* trashTransfers(
  store: SwiftAccount,
  container: string,
  trashNames: readonly string[],
  tally: Tally,
): AsyncGenerator<Transfer> {
  for (const name of trashNames) {
    const from = { container: trashOf(container), object: name };
    try {
      yield { name, from, to: { container, object: await originalName(store, from) } };
    } catch (error) {
      tally.fail(name, error);
    }
  }
}

/**
 * Entries of the trash by the names that they had, what was thrown away last first.
 * @param prefixes what the names began with
 * @param untilMs - without what was thrown away later
 * @param isOnce - of several entries of one name the newest alone
 * @throws SwiftStatusError
 */
export async function* walkTrash(
  store: SwiftAccount,
  container: string,
  prefixes: readonly string[],
  untilMs: number,
  isOnce: boolean,
): AsyncGenerator<Transfer> {
  if (prefixes.length === 0) return;
  const seen = new Set<string>();
  for await (const { name: object } of walkObjects(store, trashOf(container), '', true)) {
    const parsed = parseTrashName(object);
    if (parsed === undefined || parsed.deletedMs > untilMs) continue;
    const from = { container: trashOf(container), object };
    const name = LONG_NAME.test(parsed.name)
      ? await originalName(store, from).catch(() => undefined)
      : parsed.name;
    if (name === undefined || !prefixes.some((prefix) => name.startsWith(prefix))) continue;
    if (isOnce) {
      if (seen.has(name)) continue;
      seen.add(name);
    }
    yield { name: object, from, to: { container, object: name } };
  }
}

/** @throws ApiError bad_name; SwiftStatusError */
async function originalName(store: SwiftAccount, { container, object }: Place): Promise<string> {
  const parsed = parseTrashName(object);
  if (parsed === undefined) throw new ApiError('bad_name', 'This is not a valid trash item name.');
  if (!LONG_NAME.test(parsed.name)) return parsed.name;
  const { meta } = await objectInfo(store, container, object);
  const name = nameInTrash(object, meta);
  if (name === undefined)
    throw new ApiError('bad_name', 'The original name of this trash item is missing.');
  return name;
}

function nameInPieces(name: string): Record<string, string> {
  const text = Buffer.from(name, 'utf8').toString('base64url');
  const pieces = text.match(new RegExp(`.{1,${VALUE_BYTES_MAX}}`, 'g')) ?? [];
  return Object.fromEntries(pieces.map((piece, index) => [`trash-name-${index}`, piece]));
}
