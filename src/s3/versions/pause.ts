import { setTimeout as delay } from 'node:timers/promises';

/** Before another attempt, which is the second or a later one. */
export type Pause = (attempt: number) => Promise<void>;

const PAUSE_MS_MAX = 50;

/** So that writers of one key that met once do not meet again. */
export async function pauseAtRandom(attempt: number): Promise<void> {
  await delay(Math.random() * Math.min(2 ** attempt, PAUSE_MS_MAX));
}
