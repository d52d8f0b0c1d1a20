import { getAccount, headAccount, postAccount } from './account/accounts.js';
import { denied, ownsAccount } from './auth/authorise.js';
import { bulkDelete } from './bulk/bulk-delete.js';
import { isCode } from '../backend/errors.js';
import type { Call } from './call.js';
import { deniedHop, withBehalf } from './container/behalf.js';
import { getContainer, headContainer } from './container/read-container.js';
import {
  deleteContainer,
  postContainer,
  putContainer,
  refuseUnsupported,
} from './container/write-container.js';
import { copyObject } from './object/copy-object.js';
import { deleteObject, postObject } from './object/post-object.js';
import { putObject } from './object/put-object.js';
import { readObject } from './object/read-object.js';
import { HTML, pageOf, TEXT, type Reply } from './reply.js';
import { SwiftError } from './swift-error.js';
import type { AccountTarget, ContainerTarget, ObjectTarget, Target } from './target.js';

/** Which method of what is served by whom. */
type Routes<T extends Target> = ReadonlyMap<string, (call: Call<T>) => Reply | Promise<Reply>>;

const ACCOUNT: Routes<AccountTarget> = new Map([
  ['GET', getAccount],
  ['HEAD', headAccount],
  ['POST', postAccount],
]);

const CONTAINER: Routes<ContainerTarget> = new Map([
  ['GET', getContainer],
  ['HEAD', headContainer],
  ['POST', postContainer],
  ['PUT', putContainer],
  ['DELETE', deleteContainer],
]);

const OBJECT: Routes<ObjectTarget> = new Map([
  ['GET', readObject],
  ['HEAD', readObject],
  ['POST', postObject],
  ['PUT', putObject],
  ['DELETE', deleteObject],
  ['COPY', copyObject],
]);

const ALLOWED = 'GET, OPTIONS, HEAD, POST, DELETE, PUT';

/** @throws SwiftError; BackendError; what the body throws */
export async function route(given: Call): Promise<Reply> {
  const call = withBehalf(given);
  try {
    return await serve(call);
  } catch (error) {
    throw isCode(error, 'Denied') ? deniedHop(call, error) : error;
  }
}

async function serve(call: Call): Promise<Reply> {
  const { target, method, query } = call;
  if (method === 'OPTIONS') return optionsOf(target);
  if (query.has('bulk-delete') && (method === 'POST' || method === 'DELETE'))
    return bulkDelete(call);
  if (query.has('extract-archive') || query.has('versions') || query.has('version-id')) {
    throw new SwiftError(501, 'This store serves no archives to extract and no versions\n', TEXT);
  }
  switch (target.kind) {
    case 'account':
      if (method === 'PUT' || method === 'DELETE') throw accountManagement(call, target);
      return dispatch(ACCOUNT, { ...call, target });
    case 'container':
      refuseUnsupported(call);
      return dispatch(CONTAINER, { ...call, target });
    case 'object':
      return dispatch(OBJECT, { ...call, target });
  }
}

async function dispatch<T extends Target>(routes: Routes<T>, call: Call<T>): Promise<Reply> {
  const serve = routes.get(call.method);
  if (serve === undefined) {
    throw new SwiftError(405, pageOf(405), HTML, [['Allow', ALLOWED]]);
  }
  return serve(call);
}

/** Accounts come and go with the credentials. */
function accountManagement(call: Call, { account }: AccountTarget): SwiftError {
  return ownsAccount(call, account) ? new SwiftError(403) : denied(call, account);
}

function optionsOf(target: Target): Reply {
  const allow = target.kind === 'object' ? `${ALLOWED}, COPY` : ALLOWED;
  return {
    status: 200,
    headers: [
      ['Content-Type', HTML],
      ['Allow', allow],
    ],
    body: '',
  };
}
