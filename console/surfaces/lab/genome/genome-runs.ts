import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../../server/api-error.js';
import { RunCollection } from '../../../server/runs/run-collection.js';
import type { RunActor, RunKind, RunView, WholeRun } from '../../../server/runs/run.js';
import { JsonResult } from '../../../server/runs/run-result.js';
import type { Runs } from '../../../server/runs/runs.js';
import type { LabCompute } from '../compute/compute.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { GenomeOptions, GenomeProgress, GenomeResult } from './search.js';

/** The parameters that a search was started with. */
export type GenomeParams = Readonly<{
  ring: string;
  /** The MD5 of the ring that is searched: it may be another one by now. */
  ring_md5: string;
  options: GenomeOptions;
}>;

/** A search in a list, as all operators see it. */
export type GenomeRunRow = RunView<GenomeParams>;
export type GenomeRun = WholeRun<GenomeParams, GenomeResult, GenomeProgress>;

const KIND = 'lab.genome';

/**
 * Searches for weights: one at a time. A search only computes, and the same seed finds the same: one
 * that was cut by the end of the console begins anew.
 */
export class GenomeRuns extends RunCollection<GenomeParams, GenomeResult, GenomeProgress> {
  constructor(
    runs: Runs,
    private readonly compute: LabCompute,
    rings: LabRings,
  ) {
    super(runs, KIND, 'Search');
    const kind: RunKind<GenomeParams> = {
      name: KIND,
      access: 'operate',
      kept: 20,
      resumes: true,
      run: async ({ params, signal, progress }) => {
        const { file, read } = await rings.open(params.ring);
        if (read.md5 !== params.ring_md5) {
          throw new ApiError(
            'conflict',
            `Ring ${params.ring} has been replaced since the search was started. Start a new search.`,
          );
        }
        const tell = (told: GenomeProgress): void => {
          progress(told.generation, told.generations, told);
        };
        return new JsonResult(await compute.search(file, params.options, tell, signal));
      },
    };
    runs.register(kind);
  }

  /** @throws ApiError locked while another search runs */
  start(params: GenomeParams, by: RunActor): Promise<GenomeRunRow> {
    return this.runs.start(KIND, { params, target: params.ring, lock: KIND }, by);
  }

  /** The commands for a candidate: see `commandsOf`. @throws ApiError not_found, busy */
  async commands(id: string, candidate: string): Promise<string> {
    const { params } = await this.view(id);
    const result = await buffer(await this.runs.resultBytes(id));
    const about = { ring: params.ring, md5: params.ring_md5, seed: params.options.seed };
    const text = await this.compute.run('genome_commands', { result, about, candidate });
    if (text === null) throw new ApiError('not_found', 'Candidate not found.');
    return text;
  }
}
