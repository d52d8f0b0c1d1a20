import type { MaybePromise } from '../../lib/promises.js';
import type * as B from '../backend.js';
import type { ImmediateReads } from '../immediate-reads.js';

/**
 * A backend that tells the caller's watch when the caller waits for the store. Every request of a
 * listener passes here. So each method is a function of its own, for the reason that the method
 * table gives, and makes no closure; a call without a watch costs one check.
 */
export function watchedBackend(inner: B.Backend): B.Backend {
  const backend: B.Backend = {
    capabilities: inner.capabilities,
    immediate: watchedReads(inner.immediate),
    close: () => inner.close(),
    ping(context) {
      context.watch?.waits();
      return watched(context, inner.ping(context));
    },
    listContainers(context, account, query) {
      context.watch?.waits();
      return watched(context, inner.listContainers(context, account, query));
    },
    createContainer(context, ref, input) {
      context.watch?.waits();
      return watched(context, inner.createContainer(context, ref, input));
    },
    headContainer(context, ref, options) {
      context.watch?.waits();
      return watched(context, inner.headContainer(context, ref, options));
    },
    updateContainer(context, ref, update) {
      context.watch?.waits();
      return watched(context, inner.updateContainer(context, ref, update));
    },
    deleteContainer(context, ref) {
      context.watch?.waits();
      return watched(context, inner.deleteContainer(context, ref));
    },
    listObjects(context, ref, query) {
      context.watch?.waits();
      return watched(context, inner.listObjects(context, ref, query));
    },
    putObject(context, ref, input, precondition) {
      context.watch?.waits();
      return watched(context, inner.putObject(context, ref, input, precondition));
    },
    headObject(context, ref, options) {
      context.watch?.waits();
      return watched(context, inner.headObject(context, ref, options));
    },
    getObject(context, ref, range, options) {
      context.watch?.waits();
      return watched(context, inner.getObject(context, ref, range, options));
    },
    putManifest(context, ref, input, precondition) {
      context.watch?.waits();
      return watched(context, inner.putManifest(context, ref, input, precondition));
    },
    putLink(context, ref, input, precondition) {
      context.watch?.waits();
      return watched(context, inner.putLink(context, ref, input, precondition));
    },
    getSegments(context, ref, options) {
      context.watch?.waits();
      return watched(context, inner.getSegments(context, ref, options));
    },
    copyObject(context, from, to, input, precondition) {
      context.watch?.waits();
      return watched(context, inner.copyObject(context, from, to, input, precondition));
    },
    updateObject(context, ref, update, precondition) {
      context.watch?.waits();
      return watched(context, inner.updateObject(context, ref, update, precondition));
    },
    updateBody(context, ref, update, precondition) {
      context.watch?.waits();
      return watched(context, inner.updateBody(context, ref, update, precondition));
    },
    deleteObject(context, ref, precondition, options) {
      context.watch?.waits();
      return watched(context, inner.deleteObject(context, ref, precondition, options));
    },
  };
  watchOptionalListings(backend, inner);
  return backend;
}

function watchOptionalListings(backend: B.Backend, inner: B.Backend): void {
  const unread = inner.listUnread?.bind(inner);
  if (unread !== undefined) {
    backend.listUnread = (context, ref, query) => {
      context.watch?.waits();
      return watched(context, unread(context, ref, query));
    };
  }
  const expired = inner.listExpired?.bind(inner);
  if (expired !== undefined) {
    backend.listExpired = (context, account, query) => {
      context.watch?.waits();
      return watched(context, expired(context, account, query));
    };
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
