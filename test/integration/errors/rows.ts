import type { ErrorCode } from '../../../src/s3/errors.js';
import type { S3Request } from '../../support/s3-client.js';
import type { Wire } from './wire.js';

/** One way to provoke an error, and what its answer must be. */
export interface ErrorRow extends Expected {
  readonly status: number;
  readonly code: ErrorCode;
  readonly request: Provocation;
}

type Provocation = S3Request | Recipe;

/** A request that something else must come before, or that is signed in a way of its own. */
export interface Recipe {
  readonly title: string;
  readonly make: (wire: Wire) => S3Request | Promise<S3Request>;
}

interface Expected {
  /** Default: the message that the code has. */
  readonly message?: RegExp;
  /** Further elements of the document; `BucketName` and `Key` follow from the path. */
  readonly details?: Readonly<Record<string, string>>;
  /** False where the document names neither bucket nor key, although the path may. Default true. */
  readonly isOfResource?: boolean;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function row(
  status: number,
  code: ErrorCode,
  request: Provocation,
  expected: Expected = {},
): ErrorRow {
  return { status, code, request, ...expected };
}

/** In the title of the row's test. */
export function titleOf({ request }: { readonly request: Provocation }): string {
  if ('title' in request) return request.title;
  const { method, path, body = '', headers = {}, signed } = request;
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${shortened(value)}`);
  const parts = [
    method,
    shortened(path),
    ...named,
    typeof body === 'string' ? shortened(body) : '',
  ];
  return `${signed === false ? 'unsigned ' : ''}${parts.filter((part) => part !== '').join(' ')}`;
}

function shortened(text: string): string {
  return text.length > 70 ? `${text.slice(0, 70)}…` : text;
}

export function by(title: string, make: Recipe['make']): Recipe {
  return { title, make };
}

type Headers = Record<string, string>;

export function get(path: string, headers: Headers = {}): S3Request {
  return { method: 'GET', path, headers };
}

export function head(path: string): S3Request {
  return { method: 'HEAD', path };
}

export function del(path: string): S3Request {
  return { method: 'DELETE', path };
}

export function put(
  path: string,
  body: string | Uint8Array = '',
  headers: Headers = {},
): S3Request {
  return { method: 'PUT', path, body, headers };
}

export function post(path: string, body = '', headers: Headers = {}): S3Request {
  return { method: 'POST', path, body, headers };
}

export function options(path: string, headers: Headers = {}): S3Request {
  return { method: 'OPTIONS', path, headers, signed: false };
}

export function unsigned(method: string, path: string, headers: Headers = {}): S3Request {
  return { method, path, headers, signed: false };
}
