import type { Surface } from '../server/surface.js';
import { AUDIT } from './audit/surface.js';
import { BENCHMARKS } from './benchmarks/surface.js';
import { DEPLOY } from './deploy/surface.js';
import { FILES } from './files/surface.js';
import { HOME } from './home/surface.js';
import { KEYS } from './keys/surface.js';
import { LAB } from './lab/surface.js';
import { MONITOR } from './monitor/surface.js';
import { USERS } from './users/surface.js';

/** In the order of the navigation. */
const ALL = [
  HOME,
  FILES,
  MONITOR,
  DEPLOY,
  BENCHMARKS,
  LAB,
  USERS,
  KEYS,
  AUDIT,
] as const satisfies readonly Surface[];

/** All surfaces with their pages. */
export const SURFACES: readonly Surface[] = ALL;

/** The types of one of them. */
export type RegisteredTypes = NonNullable<(typeof ALL)[number]['types']>;
