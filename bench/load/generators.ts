import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FixtureName } from '../rows/fixtures.js';
import type {
  AnswerMessage,
  CallMessage,
  GeneratorCalls,
  SliceLoad,
  SliceSettings,
  TargetSettings,
} from './protocol.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));

/** Fails when the process is gone, or says that it failed. */
class Generator {
  readonly #process: ChildProcess;
  readonly #pending = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #nextId = 1;

  constructor() {
    // Advanced serialisation is not needed: what crosses is small, and plain.
    this.#process = fork(WORKER, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#process.on('message', (message) => {
      const { id, result, error } = message as AnswerMessage;
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) pending?.resolve(result);
      else pending?.reject(new Error(error));
    });
    this.#process.once('exit', (code, signal) => {
      const reason = `a load generator ended with ${signal ?? String(code)}`;
      for (const { reject } of this.#pending.values()) reject(new Error(reason));
      this.#pending.clear();
    });
  }

  call<Name extends keyof GeneratorCalls>(
    name: Name,
    ...args: Parameters<GeneratorCalls[Name]>
  ): ReturnType<GeneratorCalls[Name]> {
    const id = this.#nextId++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#process.send({ id, name, args } satisfies CallMessage);
    });
    return answer as ReturnType<GeneratorCalls[Name]>;
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.disconnect();
    await once(this.#process, 'exit');
  }
}

/** The load generator: processes of its own, so that the measuring process loses no time. */
export class Generators {
  readonly #generators: readonly Generator[];

  constructor(readonly count: number) {
    this.#generators = Array.from({ length: count }, () => new Generator());
  }

  async createBucket(target: TargetSettings): Promise<void> {
    await this.#first().call('createBucket', target);
  }

  createVersionedBucket(target: TargetSettings): Promise<string | undefined> {
    return this.#first().call('createVersionedBucket', target);
  }

  async load(target: TargetSettings, fixture: FixtureName): Promise<void> {
    // The first one alone asks whether it is there: the others would see what it has just written.
    await this.#first().call('load', target, fixture, { index: 0, count: 1 });
  }

  /** @param settings of all processes together */
  async prepare(target: TargetSettings, settings: SliceSettings): Promise<void> {
    const { count } = this;
    const own = { ...settings, operations: Math.ceil(settings.operations / count) };
    await Promise.all(
      this.#generators.map((generator, index) =>
        generator.call('prepare', target, own, { index, count }),
      ),
    );
  }

  run(seconds: number): Promise<readonly SliceLoad[]> {
    return Promise.all(this.#generators.map((generator) => generator.call('run', seconds)));
  }

  async purge(target: TargetSettings): Promise<void> {
    await this.#first().call('purge', target);
  }

  async close(): Promise<void> {
    await Promise.all(this.#generators.map((generator) => generator.close()));
  }

  #first(): Generator {
    const first = this.#generators[0];
    if (first === undefined) throw new Error('there is no load generator');
    return first;
  }
}
