import { AUTH } from './auth.mjs';
import { AUTHORITY } from './authority.mjs';
import { CLUSTERS } from './clusters.mjs';
import { CONSOLE } from './console.mjs';
import { EMBEDDED } from './embedded.mjs';
import { FIRST_VERSIONS } from './first-versions.mjs';
import { FILES } from './files.mjs';
import { OPERATORS } from './operators.mjs';
import { PROCESS } from './process.mjs';
import { RINGS } from './rings.mjs';
import { RULES } from './rules.mjs';
import { SWIFT } from './swift.mjs';
import { SWIFT_API } from './swift-api.mjs';
import { TRUST } from './trust.mjs';
import { UPKEEP } from './upkeep.mjs';
import { VERSIONS } from './versions.mjs';

/** All planted bugs, by area. */
export const PLANTED = [
  ...AUTH,
  ...AUTHORITY,
  ...RINGS,
  ...RULES,
  ...TRUST,
  ...VERSIONS,
  ...FIRST_VERSIONS,
  ...SWIFT,
  ...CLUSTERS,
  ...EMBEDDED,
  ...UPKEEP,
  ...SWIFT_API,
  ...CONSOLE,
  ...FILES,
  ...OPERATORS,
  ...PROCESS,
];
