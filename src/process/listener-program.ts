import { fileURLToPath } from 'node:url';
import { UWS_ENVIRONMENT } from '../http/environment.js';
import { SERVING_HEAP_FLAGS } from './heap-flags.js';

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
  entry: fileURLToPath(new URL('../listener.js', import.meta.url)),
  environment: { ...UWS_ENVIRONMENT, ...MALLOC_ENVIRONMENT },
  nodeFlags: SERVING_HEAP_FLAGS,
} as const;
