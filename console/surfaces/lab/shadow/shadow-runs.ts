import { ApiError } from '../../../server/api-error.js';
import type { RunActor, RunKind, RunView, WholeRun } from '../../../server/runs/run.js';
import { JsonResult } from '../../../server/runs/run-result.js';
import type { Runs } from '../../../server/runs/runs.js';
import type { Duel } from './duel.js';
import { ShadowFiles } from './shadow-files.js';
import { ShadowRun, type ShadowParams, type ShadowView } from './shadow-run.js';

/** A run in a list, as all operators see it. */
export type ShadowRunRow = RunView<ShadowParams>;
export type ShadowWholeRun = WholeRun<ShadowParams, ShadowView, ShadowView>;

const KIND = 'lab.shadow';

/** Runs of Shadow: one at a time. One that the end of the console cuts is lost; its log stays. */
export class ShadowRuns {
  constructor(
    private readonly runs: Runs,
    shadowRoot: string,
    now: () => number,
  ) {
    const kind: RunKind<ShadowParams, unknown, Duel> = {
      name: KIND,
      access: 'operate',
      kept: 20,
      resumes: false,
      run: async ({ id, params, signal, progress, means: duel }) => {
        if (duel === undefined)
          throw new ApiError(
            'conflict',
            'The session that started this run is no longer available. Start a new run.',
          );
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

  /** The runs, the newest first. */
  async list(): Promise<ShadowRunRow[]> {
    return (await this.runs.list(KIND)) as ShadowRunRow[];
  }

  /** A run without its result, which may have megabytes. @throws ApiError not_found */
  async view(id: string): Promise<Omit<ShadowWholeRun, 'result'>> {
    const run = await this.runs.view(id);
    if (run.kind !== KIND) throw new ApiError('not_found', 'Run not found.');
    return run as Omit<ShadowWholeRun, 'result'>;
  }
}
