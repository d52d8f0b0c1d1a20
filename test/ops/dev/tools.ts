import { join } from 'node:path';
import type { APIOptions } from 'typescript/unstable/sync';

/** The tools of `ops/dev` are plain JavaScript: what tests use of them is declared here. */

export interface FailedTest {
  readonly title: string;
  /** Absent where no single test can be named. */
  readonly file?: string;
  readonly error: string;
}

interface SkippedTest {
  readonly title: string;
  readonly file: string;
}

export interface StageResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: readonly FailedTest[];
  readonly skipped: readonly SkippedTest[];
  readonly seconds: number;
  readonly unstable?: readonly FailedTest[];
}

export interface Stage {
  readonly name: string;
  readonly files: readonly string[];
}

export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

type Size = 'quick' | 'rest' | 'all';

interface Tools {
  readonly 'node-version.mjs': {
    nodeVersionProblem: (version: string, glibc: string | undefined) => string | null;
  };
  readonly 'lib/install.mjs': {
    isInstalled: (installed: string | null, wanted: string) => boolean;
  };
  readonly 'lib/native-hashes.mjs': {
    nativeBinary: (library?: string) => string;
    libraryFor: (modules: string) => string;
    checkNativeBinary: (path?: string, recorded?: Readonly<Record<string, string>>) => void;
    recordNativeBinaries: (libraries: readonly string[], record: string) => void;
  };
  readonly 'lib/lock.mjs': {
    withLock: <T>(
      path: string,
      task: () => Promise<T>,
      onWait: (holder: number) => void,
    ) => Promise<T>;
  };
  readonly 'lib/run.mjs': {
    run: (
      command: string,
      args: readonly string[],
      options?: { label?: string; timeoutMs?: number },
    ) => Promise<{ code: number; signal: string | null; timedOut: boolean }>;
  };
  readonly 'lib/memory-folder.mjs': {
    MemoryFolder: new (env: Readonly<Record<string, string>>) => {
      readonly env: { readonly TMPDIR?: string };
      remove: () => void;
    };
  };
  readonly 'lib/stages.mjs': {
    planStages: (
      filters: readonly string[],
      files: readonly string[],
      hasSwift?: boolean,
      size?: Size,
    ) => { name: string; files: string[]; env: Record<string, string> }[];
    runBeside: <T extends { name: string; isPatient?: boolean }>(
      stages: readonly T[],
      secondsOf: (stage: T) => number,
      run: (stage: T, place: { isBesideOthers: boolean; isInBackground: boolean }) => Promise<void>,
    ) => Promise<void>;
    secondsBeside: <T extends { name: string; isPatient?: boolean }>(
      stages: readonly T[],
      secondsOf: (stage: T) => number,
    ) => number;
  };
  readonly 'lib/quick.mjs': { missingFrom: (sources: readonly string[]) => string[] };
  readonly 'lib/again.mjs': {
    runFailedAgain: (
      stage: Stage,
      result: StageResult,
      options: object,
      run: (stage: Stage, options: { readonly grep?: string }) => Promise<StageResult>,
    ) => Promise<StageResult>;
  };
  readonly 'lib/planted.mjs': {
    plantedBugs: (filters?: readonly string[]) => readonly PlantedBug[];
    readSources: (root: string) => Map<string, string>;
    plant: (
      bug: PlantedBug,
      sources: Map<string, string>,
    ) => { path: string; text: string } | { stale: string };
    staleness: (bug: PlantedBug, sources: Map<string, string>, root: string) => string | undefined;
  };
  readonly 'lib/no-context-spread.mjs': {
    contextCopies: (
      config: string,
      isWanted: (file: string) => boolean,
      options?: APIOptions,
    ) => { file: string; line: number; name: string }[];
  };
  readonly 'lib/roots.mjs': {
    makeRoot: (suite: string, root: string, packages: readonly string[]) => void;
  };
  readonly 'lib/stage-times.mjs': {
    LIMITS_S: { readonly quick: number; readonly all: number };
    budgets: () => Record<string, number>;
    overBudget: (
      size: Size,
      results: readonly { name: string; seconds: number }[],
      allowed?: Readonly<Record<string, number>>,
    ) => string[];
    estimate: (
      parts: readonly { size: Size; stages: readonly { name: string }[] }[],
      seconds: Readonly<Record<string, number>>,
    ) => string;
  };
  readonly 'lib/texts.mjs': {
    textsIn: (
      file: string,
      source: string,
    ) => { text: string; kind: 'button' | 'heading' | 'text'; line: number }[];
  };
  readonly 'lib/summary.mjs': { summarise: (stages: readonly StageResult[]) => string[] };
}

export function toolPath(name: string): string {
  return join(process.cwd(), 'ops/dev', name);
}

export async function loadTool<K extends keyof Tools>(name: K): Promise<Tools[K]> {
  return (await import(toolPath(name))) as Tools[K];
}
