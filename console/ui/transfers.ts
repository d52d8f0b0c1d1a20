import { sessionOver } from './api.js';
import { bytesText } from './dom.js';
import { isSessionOver, sendFile, type Attempt } from './send-file.js';
import { addTransfer, showHead, type Line } from './transfer-list.js';
import { UploadHold } from './upload-hold.js';
import type { Found, Missing } from './drop.js';

/**
 * The queue of uploads: some at a time. A file gets its line in the list when its turn comes, and
 * of those that failed only some have one: folders may have more files than a page can show.
 */

/** Why a file is not there. */
type Why = 'failed' | 'exists' | 'cancelled';

/** One file of the queue; of a line it has none until its turn. */
interface Upload {
  container: string;
  name: string;
  open: () => Promise<File>;
  onDone: () => void;
  overwrite: boolean;
  line: Line | null;
  attempt?: Attempt | null;
  why?: Why;
  message?: string;
  refusals?: number;
  cuts?: number;
  holds?: number;
  again?: boolean;
}

const AT_ONCE = 3;
/** Beyond this, folders are read on when there is room again. */
const WAITING_MAX = 10_000;
const FAILED_LINES_MAX = 100;
/** The store's limit of a name, in bytes of UTF-8. */
const NAME_BYTES_MAX = 1024;
/** Folders without files that are named. */
const PROBLEMS_MAX = 100;
/** A file for which the session is over again and again, and is not, has failed. */
const REFUSALS_MAX = 3;

const waiting: Upload[] = [];
/** Attempts that have not ended, each with its item. */
const running = new Map<Attempt, Upload>();
/** Paused until there is a session again. */
let isPaused = false;
/** Held until the console, or the store behind it, is back. */
const hold = new UploadHold(
  () => pump(),
  () => showHead(),
);
/** Sources that are still read. */
const reading = new Set<{ cancelled: boolean }>();
/** The uploads that did not arrive, by why: each can be started again. */
const left: Record<Why, Set<Upload>> = {
  failed: new Set(),
  exists: new Set(),
  cancelled: new Set(),
};
/** The transfers with a line. */
const shown = new Set<Upload>();
/** The transfers that would have a line if there were room. */
const unshown = new Set<Upload>();
/** Since the queue was last empty. */
let done = 0;
/** Attempts that have ended, well or not: how fast the queue goes. */
let ended = 0;
const wake: ((value?: unknown) => void)[] = [];

/**
 * Uploads all that a source finds.
 *
 * @param start what the names begin with, before the paths
 * @param onDone told whenever a file is there
 */
export async function enqueueAll(
  container: string,
  start: string,
  source: AsyncIterable<Found | Missing> | Iterable<Found | Missing>,
  onDone: () => void,
) {
  const state = { cancelled: false };
  const problems: { name: string; message: string }[] = [];
  let problemCount = 0;
  let isWhole = true;
  if (reading.size === 0 && running.size === 0) done = 0;
  reading.add(state);
  try {
    for await (const { path, open, problem } of source) {
      if (state.cancelled) {
        isWhole = false;
        break;
      }
      if (problem === undefined) {
        const name = start + path;
        waiting.push({ container, name, open, onDone, overwrite: false, line: null });
        pump();
      } else {
        problemCount += 1;
        if (problems.length < PROBLEMS_MAX) problems.push({ name: path, message: problem });
      }
      while (waiting.length >= WAITING_MAX && !state.cancelled) {
        await new Promise((resolve) => wake.push(resolve));
      }
    }
  } finally {
    reading.delete(state);
    showHead();
  }
  if (!isWhole) say('Remaining files', 'cancelled; add the files again to upload them', []);
  if (problemCount === 0) return;
  // Objects are all that a store has: folders without any cannot be there.
  const title = problemCount === 1 ? `Folder ${problems[0]?.name}` : `${problemCount} folders`;
  say(title, 'not uploaded or incomplete', problems);
}

/** A line of what will not be there, and is nothing to start again. */
function say(title: string, message: string, list: readonly { name: string; message: string }[]) {
  addTransfer(title, { unit: 'objects', onCancel: () => undefined }).fail(message, null, list);
}

function pump() {
  while (!isPaused && !hold.isHeld && running.size < AT_ONCE) {
    const item = waiting.shift();
    if (item === undefined) break;
    // Each attempt has its own: one that was cancelled must not go on when the next has begun.
    const attempt: Attempt = { cancelled: false, abort: null };
    running.set(attempt, item);
    void run(item, attempt).finally(() => {
      running.delete(attempt);
      // It holds the request, and what is left over holds the attempt.
      attempt.abort = null;
      ended += 1;
      pump();
    });
  }
  if (waiting.length < WAITING_MAX) for (const resolve of wake.splice(0)) resolve();
  showHead();
}

async function run(item: Upload, attempt: Attempt) {
  item.attempt = attempt;
  item.line ??= lineOf(item);
  try {
    const nameBytes = new TextEncoder().encode(item.name).length;
    if (nameBytes > NAME_BYTES_MAX) {
      throw new Error(`The name, including its folders, is longer than ${NAME_BYTES_MAX} bytes.`);
    }
    const file = await item.open().catch(() => {
      throw new Error('The file no longer exists or cannot be read.');
    });
    if (attempt.cancelled) return;
    const sending = { ...item, file };
    // Set before the outcome is known: a lost answer does not say whether the object is there.
    item.again = true;
    await sendFile(sending, attempt, (sent, all) => {
      if (!attempt.cancelled) item.line?.progress(sent, all);
    });
    if (item.attempt !== attempt) return;
    forget(item);
    hold.succeeded();
    done += 1;
    item.line?.end(`done, ${bytesText(file.size)}`);
    item.onDone();
  } catch (thrown) {
    const error = thrown as Error & { code?: string };
    if (attempt.cancelled) return;
    if (isSessionOver(error) && (item.refusals ?? 0) < REFUSALS_MAX) putBackFor(item);
    else if (await hold.willPass(item, error)) putBack(item);
    else if (attempt.cancelled) return;
    else if (error.code === 'exists')
      leave(item, 'exists', 'An object with this name already exists.');
    else leave(item, 'failed', error.message);
  }
}

/** It is the next one when there is a session again. */
function putBackFor(item: Upload) {
  item.refusals = (item.refusals ?? 0) + 1;
  putBack(item);
  sessionOver();
}

function putBack(item: Upload) {
  // Cancelled while the console was asked whether it is there.
  if (item.attempt?.cancelled) return;
  item.attempt = null;
  takeLine(item);
  waiting.unshift(item);
}

function lineOf(item: Upload) {
  return addTransfer(item.name, {
    unit: 'bytes',
    onCancel: () => cancel(item),
    onDismiss: () => {
      item.line = null;
      forget(item);
    },
  });
}

function cancel(item: Upload) {
  const { attempt } = item;
  if (attempt) attempt.cancelled = true;
  attempt?.abort?.();
  if (waiting.includes(item)) waiting.splice(waiting.indexOf(item), 1);
  leave(item, 'cancelled', 'cancelled');
}

/** The file is not there, and is kept for another try. */
function leave(item: Upload, why: Why, message: string) {
  Object.assign(item, { why, message });
  left[why].add(item);
  if (item.line === null || shown.size < FAILED_LINES_MAX) {
    show(item);
    return;
  }
  takeLine(item);
  unshown.add(item);
}

const AGAIN_TEXT: Record<Why, string> = {
  failed: 'Retry',
  exists: 'Overwrite',
  cancelled: 'Restart',
};

function show(item: Upload) {
  if (item.line === null || item.why === undefined) return;
  shown.add(item);
  item.line.fail(item.message ?? '', () => again(item), [], AGAIN_TEXT[item.why]);
}

/** Large files go on with the segments that are not there yet. */
function again(item: Upload) {
  forget(item);
  item.line?.begin();
  wait(item);
  pump();
}

/**
 * Puts an item back to wait for its turn; an earlier attempt that still ends has no effect on it
 * any more.
 */
function wait(item: Upload) {
  item.attempt = null;
  Object.assign(item, { refusals: 0, cuts: 0, holds: 0 });
  if (item.why === 'exists') item.overwrite = true;
  waiting.push(item);
}

function restart(items: readonly Upload[]) {
  for (const item of items) {
    if (item.why !== undefined) left[item.why].delete(item);
    shown.delete(item);
    unshown.delete(item);
    takeLine(item);
    wait(item);
  }
  showMore();
  pump();
}

/** Neither failed nor cancelled any more; its room in the list is for another. */
function forget(item: Upload) {
  if (item.why === undefined) return;
  left[item.why].delete(item);
  unshown.delete(item);
  if (shown.delete(item)) showMore();
}

function showMore() {
  for (const item of unshown) {
    if (shown.size >= FAILED_LINES_MAX) return;
    unshown.delete(item);
    item.line = lineOf(item);
    show(item);
  }
}

/** Takes the line from what does not end by it. */
function takeLine(item: Upload) {
  const { line } = item;
  item.line = null;
  line?.remove();
}

/** The queue as the list of transfers shows it, and commands for all of it. */
export const uploads = {
  counts: () => ({
    reading: reading.size,
    running: running.size,
    waiting: waiting.length,
    done,
    ended,
    isPaused: isPaused || hold.isHeld,
    heldText: hold.text,
    failed: left.failed.size,
    exists: left.exists.size,
    cancelled: left.cancelled.size,
  }),

  pause() {
    isPaused = true;
    showHead();
  },

  resume() {
    isPaused = false;
    pump();
  },

  /** The names of what is not there, as far as it has been found. */
  *missing() {
    const underWay = [...running].filter(([{ cancelled }]) => !cancelled).map(([, item]) => item);
    for (const items of [underWay, waiting, ...Object.values(left)]) {
      for (const { container, name } of items) yield `${container}/${name}`;
    }
  },

  /** Cancels waiting transfers; one with a line is cancelled by the line. */
  cancelWaiting() {
    for (const state of reading) state.cancelled = true;
    for (const item of waiting.splice(0)) leave(item, 'cancelled', 'cancelled');
    for (const resolve of wake.splice(0)) resolve();
  },

  /** Starts all again that is not there, but what would overwrite something. */
  again: () => restart([...left.failed, ...left.cancelled]),

  /** The uploads whose objects are there already by now, for `overwrite`. */
  existing: () => [...left.exists],

  /** @param items what the user was told of: what came later is not overwritten */
  overwrite: (items: readonly Upload[]) => restart(items.filter((item) => left.exists.has(item))),

  clear() {
    for (const set of [...Object.values(left), shown, unshown]) set.clear();
    done = 0;
  },
};
