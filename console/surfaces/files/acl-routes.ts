import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { loginName } from '../../config/keys.js';
import { ApiError } from '../../server/api-error.js';
import { expectShown } from '../../server/changes.js';
import { audited } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { readRoute } from '../../server/route-options.js';
import type { SwiftAccount } from '../../swift/account.js';
import { headerText, textOfHeader } from '../../swift/login.js';
import { readAcl, type AclReading } from './acl.js';
import { hasS3Versions } from './container-details.js';
import { containerName, isContainerName, namedContainer, segmentsOf } from './names.js';
import { aclOfSegments } from './s3/gateway-rules.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { refused } from './translate.js';
import { shareTrash } from './trash.js';

const list = z.string().max(4096);
const LISTS = z.strictObject({ read: list, write: list });
const ACL = LISTS.extend({ name: containerName, was: LISTS });

const manages = { config: { access: 'manage' } } as const;

/** The lists of a container, as they are stored. */
export interface AclLists {
  readonly read: string;
  readonly write: string;
}

/** The meaning of each list. */
export interface AclMeaning {
  readonly read: AclReading;
  readonly write: AclReading;
}

/** A user whom access rules can name. */
export interface Person {
  /** `account:user` */
  readonly name: string;
}

export interface PeopleView {
  readonly items: readonly Person[];
}

/** Names that are suggested; others are typed. */
const PEOPLE_MAX = 1000;
/**
 * A name that lets in no more than this one user as a rule: a comma begins another rule, a dot in
 * front a rule for referrers, and `*` is everybody.
 */
const ONE_USER = /^(?![.*])[^,]+:(?!\*$)[^,]+$/;

/** The rights to read and write a container. */
export function aclRoutes(app: FastifyInstance, context: ConsoleContext): void {
  app.get('/api/files/people', manages, (request): PeopleView => {
    const { user: own } = sessionOf(request);
    const names = context.accounts
      .list()
      // Access rules cannot name a user without an account, and need not name the one who asks.
      .filter(
        ({ account, user }) => account !== '' && !(account === own.account && user === own.user),
      )
      .filter(({ account }) => own.role === 'operator' || account === own.account)
      .map(loginName)
      .filter((name) => ONE_USER.test(name))
      .sort();
    return { items: names.slice(0, PEOPLE_MAX).map((name) => ({ name })) };
  });

  app.get('/api/files/acl', manages, async (request): Promise<AclLists> => {
    const { name } = parse(namedContainer, request.query);
    return listsOf(sessionOf(request).store, name);
  });

  /** The meaning of lists, before they are stored. */
  app.post('/api/files/acl/preview', readRoute('manage'), (request): AclMeaning => {
    const { read, write } = parse(LISTS, request.body);
    return { read: readAcl(read, 'read'), write: readAcl(write, 'write') };
  });

  const changes = { config: { access: 'manage', audits: 'files.acl' } } as const;
  app.put('/api/files/acl', changes, async (request, reply) => {
    const given = parse(ACL, request.body);
    const read = readAcl(given.read, 'read');
    const write = readAcl(given.write, 'write');
    const problems = [...read.problems, ...write.problems];
    if (problems.length > 0) {
      throw new ApiError('invalid_argument', problems[0] ?? 'Invalid access list.', { problems });
    }
    const details = { read: shown(read.text), write: shown(write.text) };
    const act = { action: 'files.acl', target: given.name, details };
    const { store } = sessionOf(request);
    const save = async () => {
      const now = await listsOf(store, given.name);
      const words = `read “${shown(now.read)}”, write “${shown(now.write)}”`;
      expectShown(given.was, now, 'the access rules', words);
      const lists = { read: read.text, write: write.text };
      await saveLists(store, given.name, lists, [204, 202]);
      const bucket = await s3BucketOf(sessionOf(request), given.name);
      const isVersioned = bucket !== undefined || (await hasS3Versions(store, given.name));
      await shareSegments(store, given.name, aclOfSegments(lists, isVersioned));
      // An object deleted from a bucket with S3 versions does not go to the trash.
      if (bucket === undefined) await shareTrash(store, given.name, write.text);
    };
    await audited(context, request, act, () =>
      context.changes.ofContainer(store, given.name, save),
    );
    return reply.status(204).send();
  });
}

/** The lists as they are stored. @throws SwiftStatusError */
async function listsOf(store: SwiftAccount, container: string): Promise<AclLists> {
  const { headers } = await store.do([200, 204], 'HEAD', { container });
  return aclLists(headers);
}

export function aclLists(headers: IncomingHttpHeaders): AclLists {
  return {
    read: textOfHeader(headers['x-container-read']),
    write: textOfHeader(headers['x-container-write']),
  };
}

/** Gives the segments of large objects their access rules, where the container has segments. */
async function shareSegments(store: SwiftAccount, name: string, lists: AclLists): Promise<void> {
  const container = segmentsOf(name);
  if (!isContainerName(container)) return;
  const { status } = await store.do([200, 204, 404], 'HEAD', { container });
  if (status === 404) return;
  await saveLists(store, container, lists, [204, 202, 404]);
}

async function saveLists(
  store: SwiftAccount,
  container: string,
  { read, write }: AclLists,
  statuses: readonly number[],
): Promise<void> {
  const headers = { 'x-container-read': headerText(read), 'x-container-write': headerText(write) };
  await store.do(statuses, 'POST', { container, headers }).catch(refused);
}

const SHOWN_LENGTH_MAX = 1000;

/** The list as a record holds it. */
function shown(list: string): string {
  return list.length <= SHOWN_LENGTH_MAX ? list : `${list.slice(0, SHOWN_LENGTH_MAX)}…`;
}
