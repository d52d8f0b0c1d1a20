import { expect } from 'chai';
import { pasteSection, interpolate, parseIni } from '../../src/config/python-config.js';

function sectionsOf(text: string): unknown {
  const result = parseIni(text);
  if (!result.ok) return result.problems.map(({ line, expected }) => `${line}: ${expected}`);
  return Object.fromEntries(
    [...result.file.sections].map(([name, options]) => [
      name,
      Object.fromEntries([...options].map(([option, { value }]) => [option, value])),
    ]),
  );
}

describe("config: Python's configuration files", () => {
  for (const [name, text, expected] of [
    ['nothing', '', {}],
    ['options with either sign', '[a]\nx = 1\ny: 2\nz=3=4', { a: { x: '1', y: '2', z: '3=4' } }],
    ['no value', '[a]\nx =\n', { a: { x: '' } }],
    ['names as they are written', '[A]\nUser_X = Y', { A: { User_X: 'Y' } }],
    ['comments on lines of their own', '# c\n[a]\n  ; c\nx = 1 # 2', { a: { x: '1 # 2' } }],
    ['continuation lines', '[a]\nx = 1\n  2\n\n  3\ny = 4', { a: { x: '1\n2\n\n3', y: '4' } }],
    ['a comment in a continuation', '[a]\nx = 1\n# c\n  2', { a: { x: '1\n2' } }],
    ['a section that is indented', '[a]\nx = 1\n [b]\ny = 2', { a: { x: '1\n[b]', y: '2' } }],
    ['an option that is indented', '[a]\n  x = 1\n  y = 2', { a: { x: '1', y: '2' } }],
    ['line ends of Windows', '[a]\r\nx = 1\r\ny = 2\r\n', { a: { x: '1', y: '2' } }],
    ['what follows a header', '[a] ; c\nx = 1', { a: { x: '1' } }],
    ['an option in front', 'x = 1', ['1: a section, such as [DEFAULT], in front of all options']],
    ['a line without a sign', '[a]\nx', ['2: a section, or an option as NAME = VALUE']],
    ['a line without a name', '[a]\n= x', ['2: a section, or an option as NAME = VALUE']],
    ['an option twice', '[a]\nx = 1\nx = 2', ['3: each option once in a section']],
    ['a section twice', '[a]\n[b]\n[a]', ['3: each section once; [a] is there twice']],
  ] as const) {
    it(`reads ${name}`, () => {
      expect(sectionsOf(text)).to.deep.equal(expected);
    });
  }

  for (const [value, expected] of [
    ['100%', '100%'],
    ['50%% off', '50%% off'],
    ['%(dir)s/x', '/etc/x'],
    ['%(dir)s 50%%', '/etc 50%'],
    ['%(dir)s 50%', undefined],
    ['%(none)s', undefined],
    ['%(open', undefined],
    ['%(twice)s', '/etc/etc'],
    ['%(loop)s', undefined],
  ] as const) {
    it(`makes ${expected ?? 'nothing'} of ${value}`, () => {
      const options = new Map([
        ['dir', '/etc'],
        ['twice', '%(dir)s%(dir)s'],
        ['loop', '%(loop)s'],
      ]);
      expect(interpolate(value, (name) => options.get(name))).to.equal(expected);
    });
  }

  it('puts a section together as paste.deploy does', () => {
    const result = parseIni(
      '[DEFAULT]\na = 1\nb = %(a)s1\nc = 1\n' +
        '[filter:x]\na = 2\nset c = 2\nd = %(a)s %(here)s\nget e = b\nf = %(no)s\nget g = no',
    );
    if (!result.ok) throw new Error('cannot be read');
    const { options, broken } = pasteSection(result.file, 'filter:x', '/etc/swift/p.conf');
    expect(
      Object.fromEntries([...options].map(([name, { value }]) => [name, value])),
    ).to.deep.equal(
      // A value of [DEFAULT] wins, unless the section uses `set`.
      { a: '1', b: '11', c: '2', d: '2 /etc/swift', e: '11' },
    );
    expect(broken).to.deep.equal([10, 11]);
  });
});
