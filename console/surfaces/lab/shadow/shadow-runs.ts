import { RunCollection } from '../../../server/runs/run-collection.js';
import type { RunActor, RunKind, RunView, WholeRun } from '../../../server/runs/run.js';
import { JsonResult } from '../../../server/runs/run-result.js';
import type { Runs } from '../../../server/runs/runs.js';
import { sessionGone } from '../ground/refusals.js';
import type { Duel } from './duel.js';
import { ShadowFiles } from './shadow-files.js';
import { ShadowRun, type ShadowParams, type ShadowView } from './shadow-run.js';

/** A run in a list, as all operators see it. */
export type ShadowRunRow = RunView<ShadowParams>;
export type ShadowWholeRun = WholeRun<ShadowParams, ShadowView, ShadowView>;

const KIND = 'lab.shadow';

/** Runs of Shadow: one at a time. One that the end of the console cuts is lost; its log stays. */
export class ShadowRuns extends RunCollection<ShadowParams, ShadowView, ShadowView> {
  constructor(runs: Runs, shadowRoot: string, now: () => number) {
    super(runs, KIND);
    const kind: RunKind<ShadowParams, unknown, Duel> = {
      name: KIND,
      access: 'operate',
      kept: 20,
      resumes: false,
      run: async ({ id, params, signal, progress, means: duel }) => {
        if (duel === undefined) throw sessionGone();
        const run = new ShadowRun(id, params, duel, new ShadowFiles(shadowRoot), now);
        const tell = (): void => {
          const live = run.live;
          progress(live.cases, params.cases, live);
        };
        await run.preflight(signal);
        await run.run(signal, tell);
        return new JsonResult(await run.json());
      },
    };
    runs.register(kind);
  }

  /** @throws ApiError locked while another run goes on */
  start(params: ShadowParams, duel: Duel, by: RunActor): Promise<ShadowRunRow> {
    const request = { params, target: params.b ?? params.a, lock: KIND, means: duel };
    return this.runs.start<ShadowParams>(KIND, request, by);
  }
}
