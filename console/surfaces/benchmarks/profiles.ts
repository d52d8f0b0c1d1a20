import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const SUFFIX = '.json';
const FILES_MAX = 100;
const FILE_BYTES_MAX = 64 * 1024;
/** The console reads so much; the rest is between the profile and the runner. */
const PROFILE = z.object({
  title: z.string().min(1).max(100),
  description: z.string().max(500).default(''),
  /**
   * `own`: the runner starts what it measures. `service`: it measures the S3 endpoint of this
   * console, as the user who starts it.
   */
  target: z.enum(['own', 'service']).default('own'),
});

/** A benchmark that an operator can choose: a file of `benchmark_home/profiles`. */
export interface BenchmarkProfile extends Readonly<z.infer<typeof PROFILE>> {
  /** The name of its file, without `.json`. */
  readonly name: string;
  /** Why it cannot be run; null where it can. */
  readonly problem: string | null;
}

/** The profiles in `benchmark_home`; read whenever they are asked for. */
export class Profiles {
  readonly #folder: string;

  constructor(benchmarkHome: string) {
    this.#folder = path.join(benchmarkHome, 'profiles');
  }

  /** @throws ApiError unsupported_here where the folder cannot be read */
  async list(): Promise<BenchmarkProfile[]> {
    let files: string[];
    try {
      files = await readdir(this.#folder);
    } catch {
      throw new ApiError('unsupported_here', 'The profiles directory could not be read.', {
        needs: 'benchmark_home',
      });
    }
    const names = files
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => file.slice(0, -SUFFIX.length))
      .filter((name) => NAME.test(name))
      .sort()
      .slice(0, FILES_MAX);
    return Promise.all(names.map((name) => this.#read(name)));
  }

  /** @throws ApiError not_found; unprocessable for a file that is no profile */
  async get(name: string): Promise<BenchmarkProfile & { readonly file: string }> {
    const found = (await this.list()).find((one) => one.name === name);
    if (found === undefined) throw new ApiError('not_found', 'Profile not found.');
    if (found.problem !== null) throw new ApiError('unprocessable', found.problem);
    return { ...found, file: path.join(this.#folder, `${name}${SUFFIX}`) };
  }

  async #read(name: string): Promise<BenchmarkProfile> {
    const broken = (problem: string): BenchmarkProfile => ({
      ...{ name, title: name, description: '', target: 'own' },
      problem,
    });
    try {
      const file = path.join(this.#folder, `${name}${SUFFIX}`);
      const found = await stat(file);
      if (!found.isFile() || found.size > FILE_BYTES_MAX) return broken('Not a valid profile.');
      const profile = PROFILE.parse(JSON.parse(await readFile(file, 'utf8')));
      return { name, ...profile, problem: null };
    } catch {
      return broken('Not a valid profile: expected JSON with a title.');
    }
  }
}
