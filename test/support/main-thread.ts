import type { Page } from 'playwright-core';
import { eventually } from './eventually.js';

/** The cost of a page until it showed what it was opened for. */
export interface PageCost {
  /** Processor time of the page's main thread, in ms: not how long it took, which others decide. */
  readonly mainThreadMs: number;
  /** The longest task of it. */
  readonly longestTaskMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly data?: object };
}

const SHOWN = 'ringway-shown';
const CATEGORIES = ['toplevel', 'blink.user_timing', 'devtools.timeline', 'latencyInfo'];

/**
 * Opens an address, and adds up the tasks of the main thread until something is painted there.
 * @param selector of an element that is there as soon as the page is of use
 * @throws Error when the trace does not say it
 */
export async function costOfOpening(page: Page, url: string, selector: string): Promise<PageCost> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser of its own');
  // The frame after the next one has been painted with it.
  await page.addInitScript(`
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
      else requestAnimationFrame(() => setTimeout(() => performance.mark('${SHOWN}')));
    };
    look();
  `);
  // As at the very first visit: scripts are loaded, and compiled.
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await browser.startTracing(page, { categories: CATEGORIES });
  await page.goto(url);
  const marks = () => page.evaluate<number>(`performance.getEntriesByName('${SHOWN}').length`);
  await eventually(marks, (count) => count > 0);
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  await session.detach();
  return costIn(trace.traceEvents);
}

/** Until the mark: tasks that lie within another are part of that. */
function costIn(events: readonly TraceEvent[]): PageCost {
  const mark = events.find(({ name }) => name === SHOWN);
  if (mark === undefined) throw new Error('the trace has no mark');
  const tasks = events.filter(
    ({ name, ph, pid, tid, ts }) =>
      name === 'ThreadControllerImpl::RunTask' &&
      ph === 'X' &&
      pid === mark.pid &&
      tid === mark.tid &&
      ts < mark.ts,
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks of the main thread');
  const times = tasks.map(({ tdur = 0 }) => tdur / 1000);
  return {
    mainThreadMs: times.reduce((sum, ms) => sum + ms, 0),
    longestTaskMs: Math.max(...times),
  };
}
