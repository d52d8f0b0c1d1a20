import fc from 'fast-check';
import { indexOf, PLAIN, version, versionNames, type KeyState } from './support.js';

/**
 * Before, at and behind the delimiters, control characters, and both sides of the surrogates. In
 * hexadecimal there is a `/` between 'r' and '😀', and a `"` between 'r' and '"' that overlaps with
 * the one that is there.
 */
export const KEY_CHARACTERS = ['a', 'b', 'r', '/', '"', '%', '\x01', '0', 'é', '\uffee', '😀'];

interface Drawn extends Pick<KeyState, 'key' | 'current' | 'told' | 'orphans' | 'fences'> {
  readonly isVersioned: boolean;
  readonly kinds: readonly ('version' | 'delete-marker')[];
  readonly nullAt: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  key: fc.string({ unit: fc.constantFrom(...KEY_CHARACTERS), minLength: 1, maxLength: 5 }),
  isVersioned: fc.boolean(),
  kinds: fc.array(fc.constantFrom('version', 'version', 'delete-marker'), { maxLength: 6 }),
  nullAt: fc.nat({ max: 8 }),
  current: fc.constantFrom('in_step', 'in_step', 'behind', 'missing', 'plain', 'adopted'),
  told: fc.constantFrom('summary', 'summary', 'versions', 'nothing', 'of_the_generation_before'),
  orphans: fc.nat({ max: 3 }),
  fences: fc.nat({ max: 6 }),
});

/** Keys of a bucket, each with another name, in any state. */
export const keyStates: fc.Arbitrary<readonly KeyState[]> = fc
  .uniqueArray(drawn, { minLength: 1, maxLength: 25, selector: ({ key }) => key })
  .map((all) => all.map(stateOf));

function stateOf({ key, isVersioned, kinds, nullAt, current, told, ...others }: Drawn): KeyState {
  // Without an index there is an object, or nothing but what no index names.
  if (!isVersioned)
    return { key, current: current === 'plain' ? current : 'missing', told, ...others };
  const names = versionNames(key, kinds.length);
  const adopted = current === 'adopted' ? { adopted: PLAIN } : {};
  const entries = kinds.map((kind, at) =>
    version(names[at] ?? '', { kind, ...(at === nullAt ? { id: 'null', ...adopted } : {}) }),
  );
  const isAdopted = current === 'adopted' && nullAt < kinds.length;
  return {
    key,
    index: indexOf(entries),
    current: current === 'adopted' && !isAdopted ? 'missing' : current,
    // That a listed index is old shows by the link that is newer.
    told: told === 'of_the_generation_before' && !hasNewerLink(current, kinds) ? 'summary' : told,
    ...others,
  };
}

function hasNewerLink(current: KeyState['current'], [latest]: Drawn['kinds']): boolean {
  return current === 'in_step' && latest === 'version';
}
