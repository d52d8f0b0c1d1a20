import type { MaybePromise } from '../lib/promises.js';
import type { CallContext, GetObjectResult, ObjectHead, ObjectRef, RangeSpec } from './backend.js';

/** The same reads as those of {@link Backend}, answered in the call itself. */
export interface ImmediateReads {
  /** @throws as Backend.headObject */
  headObject(context: CallContext, ref: ObjectRef): ObjectHead;

  /** By a promise where a file has to be opened. @throws as Backend.getObject */
  getObject(context: CallContext, ref: ObjectRef, range?: RangeSpec): MaybePromise<GetObjectResult>;
}
