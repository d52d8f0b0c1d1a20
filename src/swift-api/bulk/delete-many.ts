import { isUtf8 } from 'node:buffer';
import { mapLimited } from '../../lib/promises.js';
import { encodeUriPath } from '../../lib/uri.js';
import { openContainer } from '../container/containers.js';
import { deleteContainer } from '../container/write-container.js';
import type { Call } from '../call.js';
import { statusLine } from '../reply.js';
import { SwiftError, swiftErrorOf } from '../swift-error.js';
import { decodeName, splitObjectPath } from '../target.js';
import type { Report } from './bulk-delete.js';

/** The outcome of the deletion of many objects: those deleted, those missing, and the errors. */
export class Deletions {
  deleted = 0;
  notFound = 0;
  readonly errors: [string, string][] = [];
  #serverFailed = false;

  constructor(private readonly failuresMax: number) {}

  /** @throws SwiftError 400 when too much has failed to go on */
  failed(name: string, problem: string, status = 400): void {
    if (status >= 500) this.#serverFailed = true;
    this.refused(encodeUriPath(name), problem);
  }

  /** @param encoded - the name as the report shows it @throws SwiftError 400 as {@link failed} */
  refused(encoded: string, problem: string): void {
    this.errors.push([encoded, problem]);
    if (this.errors.length >= this.failuresMax) {
      throw new SwiftError(400, 'Max delete failures exceeded');
    }
  }

  report(stopped?: SwiftError): Report {
    return {
      fields: {
        'Response Status': stopped === undefined ? this.#status() : statusLine(stopped.status),
        'Response Body': stopped === undefined ? this.#body() : bodyOf(stopped),
        'Number Deleted': this.deleted,
        'Number Not Found': this.notFound,
      },
      errors: this.errors,
    };
  }

  #status(): string {
    if (this.errors.length > 0) return statusLine(this.#serverFailed ? 502 : 400);
    return statusLine(this.deleted + this.notFound > 0 ? 200 : 400);
  }

  #body(): string {
    const nothing = this.errors.length + this.deleted + this.notFound === 0;
    return nothing ? 'Invalid bulk delete.' : '';
  }
}

/** The page that goes with a status alone is none in a report. */
function bodyOf({ body }: SwiftError): string {
  return body.startsWith('<html>') ? '' : body;
}

/**
 * Deletes objects, and then containers, which must be empty by then.
 * @param names - `container/object` or `container`, with or without a slash in front
 */
export async function deleteMany(
  call: Call,
  names: readonly string[],
  deletions: Deletions,
): Promise<void> {
  const bare = names.map((name) => name.replace(/^\/+/, '')).filter((name) => name !== '');
  const isObject = (name: string): boolean => name.replace(/\/+$/, '').includes('/');
  for (const group of [bare.filter(isObject), bare.filter((name) => !isObject(name))]) {
    await mapLimited(group, call.api.limits.bulkConcurrency, async (name) => {
      await deleteOne(call, name, deletions);
    });
  }
}

async function deleteOne(call: Call, name: string, deletions: Deletions): Promise<void> {
  try {
    await deleteNamed(call, name);
    deletions.deleted += 1;
  } catch (error) {
    const known = swiftErrorOf(error);
    if (known === undefined) throw error;
    if (known.status === 404) deletions.notFound += 1;
    else deletions.failed(`/${name}`, statusLine(known.status), known.status);
  }
}

async function deleteNamed(call: Call, name: string): Promise<void> {
  const { account } = call.target;
  const path = splitObjectPath(name);
  if (path === undefined) {
    const container = name.replace(/\/+$/, '');
    await deleteContainer({ ...call, target: { kind: 'container', account, container } });
    return;
  }
  const ref = { account, ...path };
  await openContainer(call, ref, 'write');
  await call.api.backend.deleteObject(call.context, ref);
}

/** The names that a bulk deletion lists. */
export interface ListedNames {
  readonly names: readonly string[];
  /** Lines that name nothing, with what is not ASCII percent-encoded. */
  readonly wrong: readonly string[];
}

/**
 * Names as a bulk deletion lists them: a line each, percent-encoded. A line that is no UTF-8 is set
 * apart and never read as something near to it, which would delete another object.
 */
export function parseNames(body: Buffer): ListedNames {
  const names: string[] = [];
  const wrong: string[] = [];
  for (const text of body.toString('latin1').split('\n')) {
    const line = stripped(Buffer.from(text, 'latin1'));
    const name = nameOf(line);
    if (name === undefined) wrong.push(line.toString('latin1').replace(NO_ASCII, percentEncoded));
    else if (name !== '') names.push(name);
  }
  return { names, wrong };
}

/**
 * The line without ASCII white space around it, like in Swift; other white space belongs to the
 * name.
 */
function stripped(line: Buffer): Buffer {
  let [start, end] = [0, line.length];
  while (start < end && isSpace(line[start])) start++;
  while (end > start && isSpace(line[end - 1])) end--;
  return line.subarray(start, end);
}

function isSpace(byte = 0): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

const NO_ASCII = /[^\x20-\x7e]/g;

function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function nameOf(line: Buffer): string | undefined {
  if (!isUtf8(line)) return undefined;
  try {
    return decodeName(line.toString('utf8'));
  } catch (error) {
    if (error instanceof SwiftError) return undefined;
    throw error;
  }
}
