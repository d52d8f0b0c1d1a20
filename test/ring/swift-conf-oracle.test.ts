import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { ConfigError } from '../../src/config/problem.js';
import type { Policy } from '../../src/ring/policy.js';
import { parseSwiftConf } from '../../src/ring/swift-conf.js';
import { describeWith, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { PYTHON } from './support.js';

const FILES = 1500;

/** UTF-8 as Latin-1, for Swift reads the file both ways; the last byte of two is a blank there. */
const [ACUTE, RING, GRAVE] = ['\xc3\xa9', '\xc3\x85', '\xc3\xa0'];

const GENERAL = fc.constantFrom(
  '# comment',
  '  ; comment',
  '',
  '    continued',
  'no option',
  '[DEFAULT]',
  '[swift-constraints]',
  'max_file_size = 5',
);
const HASH = fc.constantFrom(
  'swift_hash_path_suffix = changeme',
  'Swift_Hash_Path_Suffix: other',
  `swift_hash_path_prefix =  a${ACUTE} b  `,
  `swift_hash_path_prefix = a${RING}`,
  `swift_hash_path_suffix = ${GRAVE}`,
  'swift_hash_path_prefix = 50%%',
  'swift_hash_path_prefix = 50%',
  'swift_hash_path_suffix = %(SWIFT_hash_path_prefix)s%%',
  'swift_hash_path_suffix = %(none)s',
  'swift_hash_path_suffix =',
);
const POLICY = fc.constantFrom(
  'name = gold',
  'name = Silver-1',
  'NAME = bronze',
  'name = policy-0',
  'name = not good',
  'aliases = a, b,, gold',
  'aliases = gold, GOLD',
  'default = yes',
  'default = True',
  'default = no',
  'deprecated = on',
  'deprecated = maybe',
  'policy_type = replication',
  'policy_type = erasure_coding',
  'ec_type = liberasurecode_rs_vand',
  'ec_num_data_fragments = 4',
  'ec_num_parity_fragments = 2',
  'ec_num_parity_fragments = 0',
  'ec_object_segment_size = 1000',
  'ec_duplication_factor = 2',
  'diskfile_module = egg:swift#replication.fs',
  'unknown = x',
);
const CODING = [
  'name = ec',
  'policy_type = erasure_coding',
  'ec_type = liberasurecode_rs_vand',
  'ec_num_data_fragments = 4',
  'ec_num_parity_fragments = 2',
];

/** Lines of a section: mostly none that spoils it, so that many of the files mean something. */
const SECTION = fc.tuple(
  fc.constantFrom('0', '0', '1', '2', '01', 'x', '-1'),
  fc.constantFrom([], ['name = one'], ['name = two'], ['name = three', 'default = yes'], CODING),
  fc.array(fc.oneof({ weight: 4, arbitrary: POLICY }, GENERAL), { maxLength: 2 }),
);
const TEXT = fc
  .tuple(
    fc.array(GENERAL, { maxLength: 1 }),
    fc.array(fc.oneof({ weight: 6, arbitrary: HASH }, GENERAL), { maxLength: 2 }),
    fc.array(SECTION, { maxLength: 3 }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([before, hash, sections, end]) =>
    [
      ...before,
      '[swift-hash]',
      ...hash,
      ...sections.flatMap(([index, base, more]) => [`[storage-policy:${index}]`, ...base, ...more]),
    ].join(end),
  );

describeWith([pythonModule('swift')], 'swift.conf, as Swift reads it', function () {
  this.timeout(60_000);

  it('has the same salt and policies, and is refused where Swift refuses it', async () => {
    const texts = fc.sample(TEXT, { numRuns: FILES, seed: 1 });
    const oracle = [join(PYTHON, 'swift_conf.py')];
    const { stdout } = await mustRun('python3', oracle, { input: JSON.stringify(texts) });
    const answers = stdout.trim().split('\n');
    expect(answers).to.have.length(FILES);
    let accepted = 0;
    for (const [index, text] of texts.entries()) {
      const expected = JSON.parse(answers[index] ?? '') as unknown;
      const isRefused = typeof expected === 'string';
      if (!isRefused) accepted++;
      const why = `${text}\n${isRefused ? expected : ''}`;
      expect(readOurs(text), why).to.deep.equal(isRefused ? 'refused' : expected);
    }
    expect(accepted, 'files that mean something').to.be.above(FILES / 20);
  });
});

function readOurs(text: string): unknown {
  try {
    const { salt, policies } = parseSwiftConf(Buffer.from(text, 'latin1'), 'swift.conf');
    return {
      salt: [salt.prefix.toString('base64'), salt.suffix.toString('base64')],
      policies: [...policies.values()].map(shown),
    };
  } catch (error) {
    if (error instanceof ConfigError) return 'refused';
    throw error;
  }
}

function shown(policy: Policy): unknown[] {
  const { index, names, isDefault, isDeprecated, ringName, erasureCoding: coding } = policy;
  const fragments = coding && [
    coding.type,
    coding.dataFragments,
    coding.parityFragments,
    coding.segmentBytes,
    coding.duplicationFactor,
  ];
  return [index, names, isDefault, isDeprecated, ringName, fragments ?? null];
}
