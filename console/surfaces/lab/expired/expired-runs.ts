import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../../server/api-error.js';
import { RunCollection } from '../../../server/runs/run-collection.js';
import type { RunActor, RunKind, RunView, WholeRun } from '../../../server/runs/run.js';
import type { Runs } from '../../../server/runs/runs.js';
import { sessionGone } from '../ground/refusals.js';
import { Observation, type ExpiredParams, type ExpiredView } from './observation.js';
import type { ExpiryObserver } from './observer.js';

/** A run in a list, as all operators see it. */
export type ExpiredRunRow = RunView<ExpiredParams>;
export type ExpiredRun = WholeRun<ExpiredParams, ExpiredView, ExpiredView>;

const KIND = 'lab.expired';
const LOOK_MS = 500;

/**
 * Watches objects that expire: one run at a time. A run that the end of the console cuts is lost;
 * its objects expire by themselves.
 */
export class ExpiredRuns extends RunCollection<ExpiredParams, ExpiredView, ExpiredView> {
  #watched: { readonly id: string; readonly observation: Observation } | undefined;

  constructor(
    runs: Runs,
    private readonly now: () => number,
  ) {
    super(runs, KIND);
    const kind: RunKind<ExpiredParams, ExpiredView, ExpiryObserver> = {
      name: KIND,
      access: 'operate',
      kept: 20,
      resumes: false,
      run: async ({ id, params, signal, progress, means: observer }) => {
        const { container, count } = params;
        if (observer === undefined) throw sessionGone();
        const observation = new Observation(params, observer, this.now);
        this.#watched = { id, observation };
        try {
          await observation.begin();
          for (;;) {
            const isOver = await observation.look();
            const { view } = observation;
            progress(view.summary.reaped, count, view);
            if (isOver || signal.aborted) return view;
            await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
          }
        } finally {
          this.#watched = undefined;
          const names = observation.view.objects.map(({ name }) => name);
          await observer.remove(container, names).catch(() => undefined);
        }
      },
    };
    runs.register(kind);
  }

  /** @throws ApiError locked while objects of another run are watched */
  start(params: ExpiredParams, observer: ExpiryObserver, by: RunActor): Promise<ExpiredRunRow> {
    const request = { params, target: params.container, lock: KIND, means: observer };
    return this.runs.start<ExpiredParams>(KIND, request, by);
  }

  /** Ends a run with what was seen until now. @throws ApiError not_found */
  finish(id: string): void {
    this.#observation(id).finish();
  }

  /** @throws ApiError not_found; unsupported_here where the proxy opens no expired objects */
  async rescue(id: string, name: string): Promise<boolean> {
    const observation = this.#observation(id);
    if (!observation.canRescue) {
      throw new ApiError(
        'unsupported_here',
        'This store does not support opening expired objects.',
        { needs: 'Swift 2.34 or later, with allow_open_expired in [app:proxy-server]' },
      );
    }
    const isReadable = await observation.rescue(name);
    if (isReadable === undefined) throw new ApiError('not_found', 'The object does not exist.');
    return isReadable;
  }

  #observation(id: string): Observation {
    if (this.#watched?.id === id) return this.#watched.observation;
    throw new ApiError('not_found', 'Run not found, or it has already finished.');
  }
}
