import { expect } from 'chai';
import {
  formatRequestHead,
  InvalidRequestError,
} from '../../../src/lib/http-client/request-head.js';

describe('Request head', () => {
  it('has what it was given, as it is', () => {
    const headers = ['X-A', 'b c', 'etag', '', 'x-utf', '\xc3\xbc'];
    expect(formatRequestHead('PUT', '/a/../b?c=%2F', 'host:1', headers)).to.equal(
      'PUT /a/../b?c=%2F HTTP/1.1\r\nhost: host:1\r\nX-A: b c\r\netag: \r\nx-utf: \xc3\xbc\r\n\r\n',
    );
  });

  const refused: [string, Parameters<typeof formatRequestHead>][] = [
    ['a line break in a value', ['GET', '/', 'h', ['a', 'b\r\nc: d']]],
    ['a line feed in a value', ['GET', '/', 'h', ['a', 'b\nc: d']]],
    ['a NUL in a value', ['GET', '/', 'h', ['a', '\0']]],
    ['a character that is no byte', ['GET', '/', 'h', ['a', '€']]],
    ['a colon in a name', ['GET', '/', 'h', ['a: b', 'c']]],
    ['an empty name', ['GET', '/', 'h', ['', 'c']]],
    ['a blank in the target', ['GET', '/a b', 'h', []]],
    ['a line break in the target', ['GET', '/a\r\nb', 'h', []]],
    ['no target', ['GET', '', 'h', []]],
    ['a method that is none', ['GET /', '/', 'h', []]],
  ];
  for (const [title, given] of refused) {
    it(`cannot have ${title}`, () => {
      expect(() => formatRequestHead(...given)).to.throw(InvalidRequestError);
    });
  }
});
