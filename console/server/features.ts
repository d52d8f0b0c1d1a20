import type { ConsoleOptions } from '../config/load.js';
import type { ApiErrorCode } from './api-error.js';
import type { Surface } from './surface.js';

/** The setting that a surface needs to be on, and the answer of its routes without it. */
export interface Setting {
  readonly isOn: (options: ConsoleOptions) => boolean;
  readonly code: ApiErrorCode;
  readonly message: string;
  /** The keys of the configuration that switch it on. */
  readonly needs: string;
}

/** The setting of a surface that one key switches on. */
export function settingOf(
  what: string,
  needs: string,
  docs: string,
  isOn: Setting['isOn'],
): Setting {
  const message = `${what} disabled in this console. Set ${needs} in its configuration: see ${docs}.`;
  return { isOn, code: 'feature_disabled', message, needs };
}

/** The features by the names that surfaces give them; true for each that is on. */
export type Features = Readonly<Record<string, boolean>>;

/** The parts of the console that are on, by the configuration. */
export function featuresOf(surfaces: readonly Surface[], options: ConsoleOptions): Features {
  return Object.fromEntries(
    surfaces.flatMap(({ feature, setting, parts = {} }) => [
      [feature, setting?.isOn(options) ?? true],
      ...Object.entries(parts).map(([name, isOn]) => [name, isOn(options)]),
    ]),
  ) as Features;
}
