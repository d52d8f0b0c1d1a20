import type { MaybePromise } from '../../lib/promises.js';
import type * as B from '../backend.js';
import type { ImmediateReads } from '../immediate-reads.js';
import { DecoratedBackend } from './decorated-backend.js';

/**
 * Tells the caller's watch when the caller waits for the store. Every request of a listener passes
 * here, so there is no closure, and a call without a watch costs one check.
 */
export class WatchedBackend extends DecoratedBackend {
  readonly immediate = watchedReads(this.inner.immediate);

  constructor(inner: B.Backend) {
    super(inner);
    const unread = inner.listUnread?.bind(inner);
    if (unread === undefined) return;
    this.listUnread = (context, ref, query) => {
      context.watch?.waits();
      return watched(context, unread(context, ref, query));
    };
  }

  override listContainers(context: B.CallContext, account: string, query: B.ContainerQuery) {
    context.watch?.waits();
    return watched(context, this.inner.listContainers(context, account, query));
  }

  override createContainer(context: B.CallContext, ref: B.ContainerRef, input: B.ContainerInput) {
    context.watch?.waits();
    return watched(context, this.inner.createContainer(context, ref, input));
  }

  override headContainer(context: B.CallContext, ref: B.ContainerRef, options?: B.ReadOptions) {
    context.watch?.waits();
    return watched(context, this.inner.headContainer(context, ref, options));
  }

  override updateContainer(context: B.CallContext, ref: B.ContainerRef, update: B.ContainerUpdate) {
    context.watch?.waits();
    return watched(context, this.inner.updateContainer(context, ref, update));
  }

  override deleteContainer(context: B.CallContext, ref: B.ContainerRef) {
    context.watch?.waits();
    return watched(context, this.inner.deleteContainer(context, ref));
  }

  override listObjects(context: B.CallContext, ref: B.ContainerRef, query: B.ObjectQuery) {
    context.watch?.waits();
    return watched(context, this.inner.listObjects(context, ref, query));
  }

  override putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.putObject(context, ref, input, precondition));
  }

  override headObject(context: B.CallContext, ref: B.ObjectRef, options?: B.ReadOptions) {
    context.watch?.waits();
    return watched(context, this.inner.headObject(context, ref, options));
  }

  override getObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    range?: B.RangeSpec,
    options?: B.ReadOptions,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.getObject(context, ref, range, options));
  }

  override putManifest(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.putManifest(context, ref, input, precondition));
  }

  override putLink(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.putLink(context, ref, input, precondition));
  }

  override getSegments(context: B.CallContext, ref: B.ObjectRef, options?: B.ReadOptions) {
    context.watch?.waits();
    return watched(context, this.inner.getSegments(context, ref, options));
  }

  override copyObject(
    context: B.CallContext,
    from: B.ObjectRef,
    to: B.ObjectRef,
    input: B.CopyInput,
    precondition?: B.WritePrecondition,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.copyObject(context, from, to, input, precondition));
  }

  override updateObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.ObjectUpdate,
    precondition?: B.UpdatePrecondition,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.updateObject(context, ref, update, precondition));
  }

  override updateBody(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.BodyUpdate,
    precondition: B.UpdatePrecondition,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.updateBody(context, ref, update, precondition));
  }

  override deleteObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.DeletePrecondition,
    options?: B.DeleteOptions,
  ) {
    context.watch?.waits();
    return watched(context, this.inner.deleteObject(context, ref, precondition, options));
  }
}

function watchedReads(reads: ImmediateReads | undefined): ImmediateReads | undefined {
  if (reads === undefined) return undefined;
  return {
    headObject(context, ref) {
      context.watch?.waits();
      try {
        return reads.headObject(context, ref);
      } finally {
        context.watch?.goesOn();
      }
    },
    getObject(context, ref, range) {
      context.watch?.waits();
      let found: MaybePromise<B.GetObjectResult> | undefined;
      try {
        found = reads.getObject(context, ref, range);
      } finally {
        if (!(found instanceof Promise)) context.watch?.goesOn();
      }
      return found instanceof Promise ? watched(context, found) : found;
    },
  };
}

/** Reports the wait to the watch; without a watch, returns the same promise. */
function watched<T>({ watch }: B.CallContext, answer: Promise<T>): Promise<T> {
  return watch === undefined ? answer : goingOn(watch, answer);
}

async function goingOn<T>(watch: B.CallWatch, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } finally {
    watch.goesOn();
  }
}
