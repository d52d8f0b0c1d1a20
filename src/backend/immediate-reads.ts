import type { MaybePromise } from '../lib/promises.js';
import type { CallContext } from './call-context.js';
import type { GetObjectResult, ObjectHead, RangeSpec } from './object.js';
import type { ObjectRef } from './refs.js';

/** The same reads as those of {@link Backend}, answered in the call itself. */
export interface ImmediateReads {
  /** @throws as Backend.headObject */
  headObject(context: CallContext, ref: ObjectRef): ObjectHead;

  /** Returns a promise only if a file has to be opened. */
  getObject(context: CallContext, ref: ObjectRef, range?: RangeSpec): MaybePromise<GetObjectResult>;
}
