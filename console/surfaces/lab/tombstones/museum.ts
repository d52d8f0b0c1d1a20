import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../../../src/telemetry/logger.js';
import type { ConsoleOptions } from '../../../config/load.js';
import { ApiError } from '../../../server/api-error.js';
import { ComputeThread } from '../../../server/compute-thread.js';
import type { RunActor, RunKind, RunView, WholeRun } from '../../../server/runs/run.js';
import { RunCollection } from '../../../server/runs/run-collection.js';
import type { Runs } from '../../../server/runs/runs.js';
import { reclaimAgeS } from '../ground/reclaim-age.js';
import { NO_NODE_ROOT } from '../ground/refusals.js';
import type { Exhibit } from './classify.js';
import type { ExhibitsPage, PageInput } from './exhibits-file.js';
import { cursorFile, type ScanProgress } from './scan.js';
import type { ScanSummary } from './summary.js';
import type { MuseumAnswer, MuseumTask, ScanCluster } from './thread.js';

export type ScanParams = Readonly<{
  devices: readonly string[];
  max_files: number;
  max_s: number;
  dirs_per_s: number;
}>;

export type ScanRow = RunView<ScanParams>;
export type Scan = WholeRun<ScanParams, ScanSummary>;

export interface MuseumOptions {
  readonly options: Pick<
    ConsoleOptions,
    'nodeRoot' | 'storeDir' | 'hashConf' | 'stateDir' | 'clusterNodes'
  >;
  readonly now: () => number;
  readonly runs: Runs;
  readonly logger: Pick<Logger, 'error'>;
}

type MuseumThread = ComputeThread<MuseumTask, MuseumAnswer>;

const KIND = 'lab.tombstones';
const KEPT = 10;
const FILE = /^([0-9a-f-]{36})\.jsonl(?:\.cursor)?$/;

/**
 * Scans of the disks for deleted objects: one at a time, on a thread of its own, with what they found
 * in files. A scan that was cut by the end of the console goes on where it was.
 */
export class Museum extends RunCollection<ScanParams, ScanSummary> {
  readonly #folder: string;
  readonly #scans: MuseumThread;
  readonly #pages: MuseumThread;

  constructor(private readonly museum: MuseumOptions) {
    super(museum.runs, KIND, 'Scan');
    this.#scans = museumThread(museum.logger);
    this.#pages = museumThread(museum.logger);
    this.#folder = path.join(museum.options.stateDir, 'lab', 'tombstones');
    const kind: RunKind<ScanParams, ScanSummary> = {
      name: KIND,
      access: 'operate',
      kept: KEPT,
      resumes: true,
      run: async ({ id, params, signal, progress }) => {
        const tell = ({ done, total }: ScanProgress): void => {
          progress(done, total);
        };
        const task = await this.#task(id, params);
        const answer = await this.#scans.run<ScanProgress>(task, { signal, onProgress: tell });
        if (answer.kind !== 'scan') throw unreadable(answer);
        await rm(cursorFile(this.#fileOf(id)), { force: true });
        await this.#forgetOld(id);
        return answer.summary;
      },
    };
    museum.runs.register(kind);
  }

  /** @throws ApiError unsupported_here without `node_root`; locked while another scan runs */
  start(params: ScanParams, by: RunActor): Promise<ScanRow> {
    const { nodeRoot } = this.museum.options;
    if (nodeRoot === '') {
      throw new ApiError('unsupported_here', NO_NODE_ROOT, { needs: 'node_root' });
    }
    return this.museum.runs.start(KIND, { params, target: 'node_root', lock: KIND }, by);
  }

  /** @throws ApiError not_found */
  async page(id: string, input: Omit<PageInput, 'file'>): Promise<ExhibitsPage> {
    await this.get(id);
    const whole = { ...input, file: this.#fileOf(id) };
    const answer = await this.#pages.run({ name: 'page', input: whole });
    if (answer.kind === 'page') return answer.page;
    if (answer.kind === 'problem' && answer.code === 'ENOENT') return { items: [], next: null };
    throw unreadable(answer);
  }

  /** @throws ApiError not_found */
  async exhibit(id: string, hash: string): Promise<Exhibit> {
    await this.get(id);
    const answer = await this.#pages.run({ name: 'find', input: { file: this.#fileOf(id), hash } });
    if (answer.kind === 'find' && answer.exhibit !== null) return answer.exhibit;
    throw new ApiError('not_found', 'Exhibit not found.');
  }

  async close(): Promise<void> {
    await Promise.all([this.#scans.close(), this.#pages.close()]);
  }

  async #task(id: string, params: ScanParams): Promise<MuseumTask> {
    const { nodeRoot, storeDir, hashConf, clusterNodes } = this.museum.options;
    const nodes = clusterNodes.map(({ name, storage_ip: ip }) => [name, ip] as const);
    const cluster: ScanCluster = { storeDir, hashConf, nodes: Object.fromEntries(nodes) };
    const input = {
      root: nodeRoot,
      file: this.#fileOf(id),
      nowS: Math.floor(this.museum.now() / 1000),
      reclaimAgeS: await reclaimAgeS(storeDir),
      devices: params.devices,
      filesMax: params.max_files,
      secondsMax: params.max_s,
      dirsPerS: params.dirs_per_s,
    };
    return { name: 'scan', input, cluster };
  }

  /** Files of scans that are listed no more. */
  async #forgetOld(own: string): Promise<void> {
    const listed = new Set((await this.list()).map(({ id }) => id));
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const id = FILE.exec(name)?.[1];
      if (id === undefined || id === own || listed.has(id)) continue;
      await rm(path.join(this.#folder, name), { force: true });
    }
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.jsonl`);
  }
}

function museumThread(logger: Pick<Logger, 'error'>): MuseumThread {
  return new ComputeThread({ file: fileURLToPath(new URL('thread.js', import.meta.url)), logger });
}

function unreadable(answer: MuseumAnswer): ApiError {
  const reason = answer.kind === 'problem' ? answer.code : answer.kind;
  return new ApiError('upstream_unavailable', 'The disks or the scan results could not be read.', {
    reason,
  });
}
