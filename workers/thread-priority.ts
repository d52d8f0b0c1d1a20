import { getPriority, setPriority } from 'node:os';

const NICER_BY = 10;
const NICENESS_MAX = 19;

/**
 * Lets event loops go first, of this process and of other listeners: who waits for a hash or a large
 * document waits for milliseconds anyway, who waits for a loop does not. Linux has it by thread, so
 * it is to be called on the thread that it is for.
 */
export function yieldToEventLoops(): void {
  setPriority(Math.min(NICENESS_MAX, getPriority() + NICER_BY));
}
