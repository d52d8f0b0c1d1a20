import { expect } from 'chai';
import { ConfigError } from '../../src/config/problem.js';
import { policyByName } from '../../src/ring/policy.js';
import { parseSwiftConf, readSwiftConf, type SwiftConf } from '../../src/ring/swift-conf.js';

const HASH = '[swift-hash]\nswift_hash_path_suffix = s%%e\nswift_hash_path_prefix = pr\xe9\n';
const FILE = '/etc/swift/swift.conf';

function parse(text: string): SwiftConf {
  return parseSwiftConf(Buffer.from(text, 'latin1'), FILE);
}

function problemsOf(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const EC = `[storage-policy:0]
name = gold
aliases = first, gold, best
default = yes
[storage-policy:2]
name = ec
policy_type = erasure_coding
ec_type = liberasurecode_rs_vand
ec_num_data_fragments = 4
ec_num_parity_fragments = 2
ec_duplication_factor = 2
deprecated = TRUE
`;

/** A file's policies, and the lines that say what is wrong, each behind the file's name. */
const WRONG: readonly (readonly [text: string, problems: readonly string[]])[] = [
  ['name = x', [', line 5: expected a section, such as [DEFAULT], in front of all options']],
  ['[storage-policy:x]\nname = a', [': [storage-policy:x]: expected a number behind "storage-']],
  ['[storage-policy:0]', [': [storage-policy:0] name: expected letters, digits and dashes']],
  ['[storage-policy:0]\nname = a b', ['0] name: got "a b", expected letters, digits and dashes']],
  [
    '[storage-policy:0]\nname = a\naliases = b, A',
    ['aliases: got "b, A", expected each name once'],
  ],
  ['[storage-policy:1]\nname = policy-0', ['expected another name than Policy-0, which is the']],
  ['[storage-policy:0]\nname = a\nec_type = x', ['expected an option of a replication policy']],
  [
    '[storage-policy:0]\nname = a\npolicy_type = raid',
    ['got "raid", expected replication or eras'],
  ],
  [
    '[storage-policy:0]\nname = a\npolicy_type = erasure_coding\nec_num_data_fragments = 0',
    [
      'ec_type: expected the name of a code, such as liberasurecode_rs_vand',
      'ec_num_data_fragments: got "0", expected a whole number of at least 1',
      'ec_num_parity_fragments: expected a whole number of at least 1',
    ],
  ],
  [
    '[storage-policy:0]\nname = a\ndefault = 1\ndeprecated = 1',
    ['no deprecated policy as the def'],
  ],
  ['[storage-policy:0]\nname = a\ndeprecated = 1', [': expected a policy that is not deprecated']],
  ['[storage-policy:1]\nname = a', [': expected a section [storage-policy:0] beside those of']],
  [
    '[storage-policy:0]\nname = a\n[storage-policy:1]\nname = A',
    [': expected the policy name A once', ': got none, expected one policy with default = yes'],
  ],
  [
    '[storage-policy:0]\nname = a\ndefault = 1\n[storage-policy:00]\nname = b\ndefault = 1',
    [': expected policy 0 once'],
  ],
  [
    '[DEFAULT]\nx = 5%\n[storage-policy:0]\nname = a',
    [', line 5: expected %(name)s with the name'],
  ],
];

describe('swift.conf', () => {
  it('has prefix and suffix as bytes', () => {
    expect(parse(HASH).salt).to.deep.equal({
      prefix: Buffer.from('pr\xe9', 'latin1'),
      suffix: Buffer.from('s%e'),
    });
    expect(parse('[swift-hash]\nSwift_Hash_Path_Prefix: p').salt.suffix).to.have.length(0);
  });

  it('never shows them', () => {
    const problems = problemsOf('[swift-hash]\nswift_hash_path_suffix = secret%\n');
    expect(problems).to.deep.equal([
      `${FILE}, line 2: expected %(name)s with the name of an option, and %% for a %`,
    ]);
  });

  it('needs one of them', () => {
    const expected = `${FILE}: [swift-hash]: expected swift_hash_path_suffix or swift_hash_path_prefix`;
    expect(problemsOf('')).to.deep.equal([expected]);
    expect(problemsOf('[swift-hash]\nswift_hash_path_suffix =\n')).to.deep.equal([expected]);
  });

  it('has the one policy of a file without any', () => {
    const { policies } = parse(HASH);
    expect([...policies.keys()]).to.deep.equal([0]);
    expect(policies.get(0)).to.include({ name: 'Policy-0', isDefault: true, ringName: 'object' });
  });

  it('has names, default, types and erasure coding', () => {
    const { policies } = parse(HASH + EC);
    expect(policies.get(0)).to.deep.include({
      names: ['gold', 'first', 'best'],
      isDefault: true,
      isDeprecated: false,
      erasureCoding: undefined,
    });
    expect(policies.get(2)).to.deep.include({
      ringName: 'object-2',
      isDeprecated: true,
      erasureCoding: {
        type: 'liberasurecode_rs_vand',
        dataFragments: 4,
        parityFragments: 2,
        segmentBytes: 1_048_576,
        duplicationFactor: 2,
      },
    });
    expect(policyByName(policies, 'BEST')?.index).to.equal(0);
    expect(policyByName(policies, 'none')).to.equal(undefined);
  });

  it('makes the only policy the default', () => {
    const { policies } = parse(`${HASH}[storage-policy:0]\nname = a`);
    expect(policies.get(0)?.isDefault).to.be.true;
  });

  for (const [text, expected] of WRONG) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const problems = problemsOf(
        text.startsWith('name')
          ? `



${text}
`
          : HASH + text,
      );
      expect(problems.slice(0, expected.length)).to.have.length(expected.length);
      for (const [index, part] of expected.entries()) {
        expect(problems[index])
          .to.contain(part)
          .and.to.match(/^\/etc\/swift\/swift\.conf/);
      }
    });
  }

  it('is missed by name', async () => {
    const error: unknown = await readSwiftConf('/nowhere/swift.conf').catch((e: unknown) => e);
    expect(error).to.be.instanceOf(ConfigError);
    expect((error as Error).message).to.match(
      /^\/nowhere\/swift\.conf: expected a readable swift\.conf \(ENOENT/,
    );
  });
});
