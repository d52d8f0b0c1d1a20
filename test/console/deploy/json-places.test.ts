import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { browserModule } from '../support/browser-module.js';

interface Place {
  readonly start: number;
  readonly end: number;
}

/** The tested part of console/surfaces/deploy/page/json-places.ts, which needs no page. */
interface Module {
  placesOf(text: string): Map<string, Place>;
  nearest(places: Map<string, Place>, pointer: string): Place | undefined;
  lineOf(text: string, offset: number): number;
  pathText(pointer: string): string;
}

describe('places in the JSON of a specification', () => {
  const json = useOnce(() => browserModule<Module>('surfaces/deploy/page/json-places'));

  /** Every value with its pointer, from the parsed text. */
  function* values(value: unknown, pointer = ''): Generator<[string, unknown]> {
    yield [pointer, value];
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      yield* values(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  }

  it('finds every value where it stands, however the text is laid out', () => {
    const value = {
      a: [1, -2.5e3, true, null, []],
      'b/c~d': { '': 'x', 'quo"te\\': ['}', ']', ','], empty: {} },
      long: 'é\u2028{"a": 1}',
    };
    for (const indent of [0, 1, 2, '\t']) {
      const text = `\n ${JSON.stringify(value, null, indent)} `;
      const places = json().placesOf(text);
      const all = [...values(value)];
      expect(places.size).to.equal(all.length);
      for (const [pointer, expected] of all) {
        const { start, end } = places.get(pointer)!;
        expect(JSON.parse(text.slice(start, end)), pointer).to.deep.equal(expected);
      }
    }
  });

  it('leads to what a missing key would be in, and to its line', () => {
    const text = JSON.stringify({ rings: [{ name: 'object' }] }, null, 2);
    const places = json().placesOf(text);
    const place = json().nearest(places, '/rings/0/replicas');
    expect(place).to.equal(places.get('/rings/0'));
    expect(json().lineOf(text, place!.start)).to.equal(3);
    expect(json().nearest(places, '/nodes')).to.equal(places.get(''));
  });

  it('ends with text that is no JSON', () => {
    for (const text of ['', '{', '[[[', '{"a"', '{a:1}', '[1 2', '"']) {
      expect(() => json().placesOf(text), text).not.to.throw();
    }
  });

  it('names a place as people count', () => {
    expect(json().pathText('/nodes/0/devices/11/weight')).to.equal('nodes 1, devices 12, weight');
    expect(json().pathText('/a~1b')).to.equal('a/b');
    expect(json().pathText('')).to.equal('the whole document');
  });
});
