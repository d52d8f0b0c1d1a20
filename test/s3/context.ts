import type { Backend } from '../../src/backend/backend.js';
import { UNCHECKED } from '../../src/clock/index.js';
import { parseEndpoint, refineByHeaders } from '../../src/s3/endpoint/endpoint.js';
import type { RequestContext, Services } from '../../src/s3/operation.js';
import { NO_COLD_CLASSES } from '../../src/s3/rules/cold/classes.js';
import { createPagePool } from '../../src/s3/xml-pool/page-pool.js';
import { createXmlPool } from '../../src/s3/xml-pool/index.js';

/** The part of a backend that one operation needs; any other call is a failure. */
export type PartialBackend = Partial<Backend>;

export interface ContextOptions {
  /** Method and target, such as `PUT /bucket/key`. */
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly backend: PartialBackend;
  /** Told of large objects that are gone. */
  readonly replaced?: Services['segments']['replaced'] | undefined;
  /** Services besides the usual ones, or instead of them. */
  readonly services?: { readonly [Name in keyof Services]?: unknown };
  /** Other parts of the context, instead of the usual ones. */
  readonly parts?: { readonly [Name in keyof RequestContext]?: unknown };
}

/** Whose requests they are, unless they say so. */
export const PRINCIPAL = { accessKey: 'KEY', account: 'AUTH_main', role: 'owner' } as const;

const CAPABILITIES = { atomicCreate: true, conditionalReplace: true };

/** An owner's request, as the pipeline hands it to an operation. */
export function contextOf(options: ContextOptions): RequestContext {
  const { request, headers = {}, body = '', backend, replaced = () => undefined } = options;
  const { services, parts } = options;
  const [method = '', target = ''] = request.split(' ');
  const [path = '', query = ''] = target.split('?');
  const headerMap = new Map(Object.entries(headers));
  const context = {
    services: {
      backend: { capabilities: CAPABILITIES, ...backend },
      settings: { region: 'us-east-1', location: 'us-east-1', storageClasses: ['STANDARD'] },
      documents: createXmlPool({ inlineBytesMax: Number.MAX_SAFE_INTEGER }),
      pages: createPagePool(),
      lifecycles: {
        of: () => undefined,
        keepsVersions: () => false,
        forget: () => undefined,
      },
      segments: { replaced },
      cold: { classes: NO_COLD_CLASSES, restorer: undefined },
      clock: UNCHECKED,
      ...services,
    },
    endpoint: refineByHeaders(parseEndpoint(method, path, query), headerMap),
    headers: headerMap,
    principal: PRINCIPAL,
    call: { requestId: 'tx1' },
    containerHead: () => Promise.resolve({ systemMetadata: {} }),
    openPayload: () => ({ collect: () => Promise.resolve(Buffer.from(body)) }),
    ...parts,
  };
  // Only what the operations under test use is there.
  return context as unknown as RequestContext;
}
