import { fileURLToPath } from 'node:url';
import { UWS_ENVIRONMENT } from '../http/environment.js';

/**
 * Flags of V8, which lets the space for new objects grow to three times 16 MiB, and leaves garbage in
 * it, and in the buffers that it holds, for as long as nothing happens.
 */

/**
 * A listener had 4 to 25 MiB less with half of it, for the same CPU by request. A quarter cost pages
 * of a thousand keys a quarter more: those of sixteen clients do not fit in, and are copied.
 */
const SERVING_HEAP_FLAGS = ['--max-semi-space-size=8'] as const;

/** Heap flags for processes that no client waits for. */
export const SMALL_HEAP_FLAGS = ['--max-semi-space-size=2'] as const;

/**
 * glibc raises this threshold by itself with the sizes that it sees freed, and from then on keeps
 * the buffers of a peak, in pieces that fit nothing else. Held at the size of the smallest buffers
 * that there are many of, memory goes back once it is collected, which an idle listener does not do
 * by itself. CPU time per request was the same within noise. Other C libraries ignore it.
 */
const MALLOC_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '65536' } as const;

/**
 * The program that serves S3, as the supervisor starts it, without knowing what is in it.
 * uWebSockets reads its limits from the environment at load, the allocator at start: they have to
 * be there before.
 */
export const LISTENER_PROGRAM = {
  entry: entryOf('listener.js'),
  environment: { ...UWS_ENVIRONMENT, ...MALLOC_ENVIRONMENT },
  nodeFlags: SERVING_HEAP_FLAGS,
} as const;

/** The store's Swift API as the supervisor starts it; it serves HTTP as listeners do. */
export const STORE_PROGRAM = { ...LISTENER_PROGRAM, entry: entryOf('store-process.js') } as const;

/** The janitor as the supervisor starts it, without knowing what is in it. */
export const JANITOR_PROGRAM = {
  entry: entryOf('janitor-process.js'),
  environment: {},
  nodeFlags: SMALL_HEAP_FLAGS,
} as const;

/** The control service of Deploy as the supervisor starts it. */
export const DEPLOY_PROGRAM = {
  entry: entryOf('deploy-process.js'),
  environment: {},
  nodeFlags: SMALL_HEAP_FLAGS,
} as const;

/** The program of `ringway repair`; see janitor-command-protocol.ts. */
export const REPAIR_COMMAND_ENTRY = entryOf('repair-command.js');

/** The program of `ringway store`; see store-command-protocol.ts. */
export const STORE_COMMAND_ENTRY = entryOf('store-command.js');

/** The program of `ringway janitor`: one pass, or a dry run; see janitor-command-protocol.ts. */
export const JANITOR_COMMAND_ENTRY = entryOf('janitor-command.js');

function entryOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
