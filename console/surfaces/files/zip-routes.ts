import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import yazl from 'yazl';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { readRoute } from '../../server/route-options.js';
import type { Session } from '../../server/sessions.js';
import type { SwiftAccount } from '../../swift/account.js';
import { containerName, NAMES_MAX, objectName } from './names.js';
import { walkObjects } from './swift-listing.js';
import { objectReader, setSafeHeaders } from './object-body.js';
import { NAMES_TABLE, ZipNames } from './zip-names.js';

const ZIP = z.strictObject({
  container: containerName,
  names: z.array(objectName).max(NAMES_MAX).default([]),
  prefixes: z.array(objectName).max(1000).default([]),
});
const TICKET = z.object({ ticket: z.string().regex(/^[\w-]{32}$/) });

/** The directory at the end of an archive is held in memory: 100,000 entries are some 30 MiB. */
const ENTRIES_MAX = 100_000;
const TICKET_LIFE_MS = 60_000;
/** Each may hold ten thousand names. */
const TICKETS_PER_SESSION = 8;
const TICKETS_MAX = 200;
/** Archives on their way: each holds its directory, and a connection to the store. */
const RUNNING_PER_SESSION = 4;
const RUNNING_MAX = 32;
const BUSY_RETRY_S = 30;

/** The event of topic `zip`: a download was cut. */
export interface ZipCut {
  readonly container: string;
  readonly message: string;
  /** The object that could not be read, where it was one. */
  readonly object?: string;
}

interface Ticket {
  readonly session: Session;
  readonly wanted: z.infer<typeof ZIP>;
  readonly untilMs: number;
}

/** Many objects as one archive, made while it is sent. A ticket, since a download is a GET. */
export function zipRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { now, events } = context;
  const tickets = new Map<string, Ticket>();
  const running = new Map<Readable, Session>();

  const admit = (session: Session) => {
    const own = [...running.values()].filter((one) => one === session).length;
    if (own < RUNNING_PER_SESSION && running.size < RUNNING_MAX) return;
    const message = 'Too many archive downloads are in progress. Try again later.';
    throw new ApiError('busy', message, undefined, BUSY_RETRY_S);
  };

  app.post('/api/files/zip', readRoute('read'), (request) => {
    const wanted = parse(ZIP, request.body);
    const session = sessionOf(request);
    admit(session);
    for (const [id, { untilMs }] of tickets) if (untilMs < now()) tickets.delete(id);
    const own = [...tickets].filter(([, one]) => one.session === session);
    if (own.length >= TICKETS_PER_SESSION) tickets.delete(own[0]?.[0] ?? '');
    if (tickets.size >= TICKETS_MAX)
      throw new ApiError('busy', 'The download queue is full. Try again later.');
    const ticket = randomBytes(24).toString('base64url');
    const untilMs = now() + TICKET_LIFE_MS;
    tickets.set(ticket, { session, wanted, untilMs });
    return { ticket };
  });

  app.get('/api/files/zip/:ticket', { config: { access: 'read' } }, (request, reply) => {
    const { ticket } = parse(TICKET, request.params);
    const found = tickets.get(ticket);
    tickets.delete(ticket);
    if (found?.session !== sessionOf(request) || found.untilMs < now()) {
      const message = 'This download link has expired or was already used.';
      throw new ApiError('not_found', `${message} Start the download again.`);
    }
    const { session, wanted } = found;
    admit(session);
    const archive = archiveOf(session, wanted, (error, object) => {
      // The download is cut, which says nothing of why.
      const { message } = describeError(context, error, request.id);
      const name = object === undefined ? {} : { object };
      events.publish('zip', { container: wanted.container, message, ...name }, session);
    });
    running.set(archive, session);
    archive.once('close', () => running.delete(archive));
    setSafeHeaders(reply, `${wanted.container}.zip`, 'application/zip', 'attachment');
    return reply.send(archive);
  });
}

/** An object that fails cuts the archive before its directory: no client takes it for whole. */
function archiveOf(
  session: Session,
  wanted: z.infer<typeof ZIP>,
  onFailure: (error: unknown, object?: string) => void,
): Readable {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream;
  // Typed as less than the stream that it is.
  if (!(output instanceof Readable)) throw new TypeError('yazl gave no stream to read');
  const names = new ZipNames();
  const read = objectReader(session, wanted.container);
  let open: Readable | undefined;
  /**
   * Called once: errors that follow from this one are ignored. A client that left gets no report.
   */
  const fail = (error: unknown, object?: string) => {
    if (output.destroyed) return;
    output.destroy(error as Error);
    onFailure(error, object);
  };
  zip.on('error', (error) => {
    fail(error);
  });
  output.once('close', () => open?.destroy());
  const add = async () => {
    let count = 0;
    for await (const { name, mtime } of entriesOf(session.store, wanted)) {
      if (++count > ENTRIES_MAX)
        throw new ApiError('too_large', 'Too many objects for one archive. Select fewer objects.');
      zip.addReadStreamLazy(names.nameFor(name), { compress: false, mtime }, (done) => {
        read(name).then(
          ({ body }) => {
            open = body;
            body.once('error', (error) => {
              fail(error, name);
            });
            done(null, body);
            if (output.destroyed) body.destroy();
          },
          (error: unknown) => {
            fail(error, name);
            done(error, undefined as unknown as Readable);
          },
        );
      });
    }
    if (Object.keys(names.changed).length > 0) {
      const table = Buffer.from(JSON.stringify(names.changed, null, 1));
      zip.addBuffer(table, NAMES_TABLE, { compress: false });
    }
    zip.end();
  };
  add().catch((error: unknown) => {
    fail(error);
  });
  return output;
}

async function* entriesOf(
  store: SwiftAccount,
  { container, names, prefixes }: z.infer<typeof ZIP>,
) {
  const mtime = new Date();
  for (const name of names) yield { name, mtime };
  for (const prefix of prefixes) {
    for await (const row of walkObjects(store, container, prefix)) {
      // A folder's own object is the folder, unless there is something in it.
      if (!row.name.endsWith('/') || row.bytes > 0)
        yield { name: row.name, mtime: new Date(`${row.last_modified}Z`) };
    }
  }
}
