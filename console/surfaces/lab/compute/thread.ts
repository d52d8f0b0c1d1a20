import { stat } from 'node:fs/promises';
import { CapsuleError } from '../../../../src/capsule/capsule-error.js';
import { checkDocuments } from '../../../../src/capsule/check-documents.js';
import { BoundedCache } from '../../../../src/lib/bounded-cache.js';
import { RingBuildError, RingFileError } from '../../../../src/ring/ring-error.js';
import { readRingFile, stampOf, type RingFile } from '../../../../src/ring/ring-file.js';
import type { RingData } from '../../../../src/ring/ring-data.js';
import { Ring } from '../../../../src/ring/ring.js';
import type { ThreadTask } from '../../../server/compute-thread.js';
import { segmentLines } from '../capsule/slo.js';
import { clientHeadersIn } from '../capsule/subject.js';
import { commandsOf, searchWeights } from '../genome/search.js';
import { domainLossOf, plannedDomainLoss } from '../policies/domain-loss.js';
import { compareRings, whatIf } from '../rings/ring-changes.js';
import { ringMap } from '../rings/ring-map.js';
import { ringReport } from '../rings/ring-report.js';
import type { ComputeAnswer, ComputeTask, Computation, Computations } from './tasks.js';

/** The thread that computes for the Lab: its event loop may be busy for as long as it takes. */

const RINGS_KEPT = 2;
const rings = new BoundedCache<RingFile>({ weightMax: RINGS_KEPT });

type Computed<Name extends Computation> =
  Computations[Name]['output'] | Promise<Computations[Name]['output']>;

const COMPUTE: {
  readonly [Name in Computation]: (
    input: Computations[Name]['input'],
    tell: (progress: unknown) => void,
  ) => Computed<Name>;
} = {
  report: async ({ file }) => ringReport(await ringIn(file)),
  map: async ({ file, view }) => ringMap(await ringIn(file), view),
  what_if: async (input) => whatIf(await ringIn(input.file), input.whatIf),
  compare: async ({ file, other }) => compareRings(await ringIn(file), await ringIn(other)),
  domain_loss: async ({ file, protection, isPlanned }) => {
    const ring = new Ring(await ringIn(file));
    return isPlanned ? plannedDomainLoss(ring, protection) : domainLossOf(ring, protection);
  },
  capsule: (documents) => checkDocuments(documents),
  slo_manifest: ({ bytes }) => segmentLines(bytes),
  capsule_metadata: ({ bytes }) => clientHeadersIn(bytes),
  genome: async ({ file, options }, tell) => {
    const search = searchWeights(await ringIn(file), options);
    let step = search.next();
    while (step.done !== true) {
      tell(step.value);
      step = search.next();
    }
    return Buffer.from(JSON.stringify(step.value));
  },
  genome_commands: ({ result, about, candidate }) => commandsOf(result, about, candidate),
};

/** One task. Throws nothing: what cannot be used is an answer. */
export default async function run<Name extends Computation>({
  task: { name, input },
  progress,
}: ThreadTask<ComputeTask<Name>>): Promise<ComputeAnswer> {
  try {
    return { result: await COMPUTE[name](input, (told) => progress?.postMessage(told)) };
  } catch (error) {
    if (error instanceof RingFileError) {
      return { problem: { kind: 'ring', fault: error.fault, reason: error.reason } };
    }
    if (error instanceof RingBuildError) {
      return { problem: { kind: 'build', fault: 'build', reason: error.message } };
    }
    if (error instanceof CapsuleError) {
      const { fault, file, reason } = error;
      return { capsuleProblem: { fault, file, reason } };
    }
    throw error;
  } finally {
    progress?.close();
  }
}

async function ringIn(file: string): Promise<RingData> {
  let stamp: string;
  try {
    stamp = stampOf(await stat(file, { bigint: true }));
  } catch {
    throw new RingFileError('unreadable', 'the file is not there any more');
  }
  const known = rings.get(file);
  if (known?.stamp === stamp) return known.data;
  const read = await readRingFile(file);
  rings.set(file, read);
  return read.data;
}
