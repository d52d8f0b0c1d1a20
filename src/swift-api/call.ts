import type { Backend, CallContext } from '../backend/backend.js';
import type { Exchange, HeaderMap, RequestBody } from '../http/exchange.js';
import type { AccountRecords } from './account/accounts.js';
import type { User, Users } from './auth/users.js';
import type { ApiLimits } from './limits.js';
import type { Query, Target } from './target.js';
import type { TempUrlScope } from './tempurl/parameters.js';

/** The common context of all requests. */
export interface Api {
  readonly backend: Backend;
  readonly users: Users;
  readonly accounts: AccountRecords;
  readonly limits: ApiLimits;
  /** Shared with gateways that use this API as their store; empty: there are none. */
  readonly gatewaySecrets: readonly string[];
  /** The S3 API beside this one: see `SwiftApiOptions`. */
  readonly s3apiInfo: Readonly<Record<string, unknown>> | undefined;
  /** The directory for uploads of unknown length, until they are complete. */
  readonly spoolDirectory: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** One request. */
export interface Call<T extends Target = Target> {
  readonly api: Api;
  readonly exchange: Exchange;
  readonly method: string;
  readonly target: T;
  readonly query: Query;
  readonly headers: HeaderMap;
  readonly body: RequestBody;
  readonly context: CallContext;
  /** The user of the token; undefined without one. */
  readonly user: User | undefined;
  /** A gateway: it sees and writes system metadata. */
  readonly gateway: boolean;
  /** The scope of a request with a TempURL: all it may do. */
  readonly tempUrl: TempUrlScope | undefined;
}
