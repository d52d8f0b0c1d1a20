import { expect } from 'chai';
import { browserModule } from '../support/browser-module.js';

interface Formats {
  parseCsv(
    text: string,
    bounds: { rowsMax: number; columnsMax: number },
  ): { rows: string[][]; hasMore: boolean };
  indentJson(text: string): string | null;
  parseMarkdown(text: string): readonly Readonly<Record<string, unknown>>[];
}

describe('formats of previews', () => {
  let formats: Formats;

  before(async () => {
    const modules = ['csv', 'json', 'markdown'].map((name) =>
      browserModule<object>(`surfaces/files/page/formats/${name}`),
    );
    formats = Object.assign({}, ...(await Promise.all(modules))) as Formats;
  });

  for (const [title, text, rows] of [
    [
      'commas',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'semicolons, and a last line without an end',
      'a;b,c;\r\n1;2',
      [
        ['a', 'b,c', ''],
        ['1', '2'],
      ],
    ],
    [
      'quotes',
      '"a ""b""","c\nd"\n,',
      [
        ['a "b"', 'c\nd'],
        ['', ''],
      ],
    ],
    [
      'tabs',
      'a\tb\n"1"\t2"\n',
      [
        ['a', 'b'],
        ['1', '2"'],
      ],
    ],
    ['nothing', '', []],
  ] as const) {
    it(`reads CSV with ${title}`, () => {
      const table = formats.parseCsv(text, { rowsMax: 10, columnsMax: 10 });
      expect(table).to.deep.equal({ rows, hasMore: false });
    });
  }

  it('reads no more rows and columns of CSV than are shown', () => {
    const text = '1,2,3\n'.repeat(5);
    const two = {
      rows: [
        ['1', '2'],
        ['1', '2'],
      ],
      hasMore: true,
    };
    expect(formats.parseCsv(text, { rowsMax: 2, columnsMax: 2 })).to.deep.equal(two);
    expect(formats.parseCsv(text, { rowsMax: 5, columnsMax: 2 }).hasMore).to.equal(false);
  });

  it('puts each value of JSON on a line, and changes none', () => {
    const text = '{"a":[1,{"b": "x, {y}\\" "} ,12345678901234567890],"a":{},"c":[ ]}';
    const indented = formats.indentJson(text);
    expect(indented?.split('\n')).to.deep.equal([
      ...['{', '  "a": [', '    1,', '    {', '      "b": "x, {y}\\" "', '    },'],
      ...['    12345678901234567890', '  ],', '  "a": {},', '  "c": []', '}'],
    ]);
    for (const none of ['', '{', 'x', '{"a":1,}']) {
      expect(formats.indentJson(none), none).to.equal(null);
    }
  });

  it('keeps deeply nested JSON short', () => {
    const deep = `${'['.repeat(5000)}1${']'.repeat(5000)}`;
    expect(formats.indentJson(deep)?.length).to.be.below(100 * deep.length);
  });

  it('reads Markdown as blocks of text', () => {
    const text = [
      ...['# A *b*', 'one', 'two `x*y*`', '', '- **p**', '- q', '1. r', '> s', '---'],
      ...['```js', '# no heading', '```', '[t](https://example.com/) ![u](https://example.com/u)'],
    ].join('\n');
    expect(formats.parseMarkdown(text)).to.deep.equal([
      {
        kind: 'heading',
        level: 1,
        content: [
          { kind: 'text', text: 'A ' },
          { kind: 'em', text: 'b' },
        ],
      },
      {
        kind: 'paragraph',
        content: [
          { kind: 'text', text: 'one two ' },
          { kind: 'code', text: 'x*y*' },
        ],
      },
      {
        kind: 'list',
        ordered: false,
        items: [[{ kind: 'strong', text: 'p' }], [{ kind: 'text', text: 'q' }]],
      },
      { kind: 'list', ordered: true, items: [[{ kind: 'text', text: 'r' }]] },
      { kind: 'quote', content: [{ kind: 'text', text: 's' }] },
      { kind: 'rule' },
      { kind: 'code', text: '# no heading' },
      {
        kind: 'paragraph',
        content: [
          { kind: 'link', text: 't', href: 'https://example.com/' },
          { kind: 'text', text: ' ' },
          { kind: 'text', text: '[picture: u]' },
        ],
      },
    ]);
  });

  it('reads tables of Markdown, and none where a rule is missing', () => {
    const cell = (text: string) => [{ kind: 'text', text }];
    const table = ['before', '| a | b |', '|:--|---:|', '| 1 | x\\|y |', '2 | 3', '', 'after'];
    expect(formats.parseMarkdown(table.join('\n'))).to.deep.equal([
      { kind: 'paragraph', content: cell('before') },
      {
        kind: 'table',
        head: [cell('a'), cell('b')],
        rows: [
          [cell('1'), cell('x|y')],
          [cell('2'), cell('3')],
        ],
      },
      { kind: 'paragraph', content: cell('after') },
    ]);
    for (const text of ['a | b\nc | d', 'a | b\n--- | x', 'a | b\n|---|---|---|']) {
      const kinds = formats.parseMarkdown(text).map(({ kind }) => kind);
      expect(kinds).to.deep.equal(['paragraph']);
    }
  });

  it('makes no link of Markdown that could run code', () => {
    for (const href of ['javascript:alert(1)', 'data:text/html,x', '//x.example', 'JavaScript:1']) {
      const kinds = JSON.stringify(formats.parseMarkdown(`[a](${href}) <a href="${href}">`));
      expect(kinds, href).not.to.include('"link"');
    }
  });
});
