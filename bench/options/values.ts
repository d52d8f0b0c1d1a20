import { didYouMean } from '../../src/config/suggest.js';
import { ROWS } from '../rows/table.js';
import { PEERS, type Flag } from './flags.js';
import type { PeerChoice, RowChoice } from './options.js';

/** Values of flags, with what is wrong with them. */
export class FlagValues {
  readonly problems: string[] = [];

  /** @param flags all that there are, for what is expected of them */
  constructor(
    private readonly given: ReadonlyMap<string, readonly string[]>,
    private readonly flags: readonly Flag[],
  ) {}

  has(name: string): boolean {
    return this.given.has(name);
  }

  /** The last one that was given: scripts append what they override. */
  text(name: string): string | undefined {
    return this.given.get(name)?.at(-1);
  }

  list(name: string): string[] {
    return (this.given.get(name) ?? [])
      .flatMap((value) => value.split(','))
      .filter((value) => value !== '');
  }

  integer(name: string, min: number, max: number): number | undefined {
    return this.#number(name, min, max, /^\d{1,9}$/);
  }

  number(name: string, min: number, max: number): number | undefined {
    return this.#number(name, min, max, /^\d{1,9}(\.\d{1,3})?$/);
  }

  url(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (/^https?:\/\/[^/?#\s]+/.test(value) && URL.canParse(value)) return value;
    this.#wrong(name, value);
    return undefined;
  }

  pids(name: string): number[] {
    return this.integers(name, 0, 999_999_999) ?? [];
  }

  /** @returns undefined when there is none */
  integers(name: string, min: number, max: number): number[] | undefined {
    const values = this.list(name);
    if (values.length === 0) return undefined;
    return values.flatMap((value) => {
      const number = Number(value);
      if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return [number];
      this.#wrong(name, value);
      return [];
    });
  }

  /** @returns undefined when there is none */
  oneOf<Name extends string>(name: string, names: readonly Name[]): Name[] | undefined {
    const values = this.list(name);
    if (values.length === 0) return undefined;
    return values.flatMap((value) => {
      const known = names.find((candidate) => candidate === value);
      if (known !== undefined) return [known];
      this.#wrong(name, value, didYouMean(value, names));
      return [];
    });
  }

  rows(name: string, isQuick: boolean): RowChoice[] {
    const given = this.has(name) ? this.list(name) : ROWS.map((row) => row.name);
    return given.flatMap((choice) => {
      const [rowName = '', levels] = choice.split(':');
      const row = ROWS.find((candidate) => candidate.name === rowName);
      if (row === undefined) {
        const names = ROWS.map((candidate) => candidate.name);
        this.problems.push(
          `--${name}: got ${rowName}, expected one of ${names.join(', ')}${didYouMean(rowName, names)}`,
        );
        return [];
      }
      const own = isQuick ? row.quickConcurrency : row.concurrency;
      const concurrencies = levels === undefined ? own : this.#levels(name, choice, levels);
      return concurrencies.map((concurrency) => ({ row: row.name, concurrency }));
    });
  }

  peers(name: string): PeerChoice[] {
    return this.list(name).flatMap((value): PeerChoice[] => {
      const [kind = '', ...rest] = value.split(':');
      const dist = rest.join(':');
      const known = PEERS.find((peer) => peer === kind);
      if (known === 'ringway' && dist !== '') return [{ kind: known, dist }];
      if (known !== undefined && known !== 'ringway' && dist === '') return [{ kind: known }];
      this.#wrong(name, value, didYouMean(kind, PEERS));
      return [];
    });
  }

  #levels(name: string, choice: string, levels: string): number[] {
    const numbers = levels.split('+').map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : 0));
    if (numbers.every((level) => level >= 1)) return numbers;
    this.problems.push(`--${name}: got ${choice}, expected concurrencies such as put-1k:16+64`);
    return [];
  }

  #number(name: string, min: number, max: number, format: RegExp): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (format.test(value) && number >= min && number <= max) return number;
    this.#wrong(name, value);
    return undefined;
  }

  #wrong(name: string, value: string, hint = ''): void {
    const expected = this.flags.find((flag) => flag.name === name)?.expected ?? 'something else';
    this.problems.push(`--${name}: got ${value}, expected ${expected}${hint}`);
  }
}
