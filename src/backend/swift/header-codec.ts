import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { encodeUriComponentAws, percentDecoded } from '../../lib/uri.js';

/**
 * Names of metadata as parts of header names, and back.
 *
 * Swift's s3api writes the `_` of a name as `=5F`, since WSGI cannot tell `_` from `-`; so do we,
 * so that each reads what the other wrote. `=` cannot stand in the name of a header (RFC 9110
 * section 5.1; Node's parser ends the connection): such characters are percent-encoded between
 * gateway and proxy, where the filter translates both ways. Without the filter Swift keeps that
 * form, which only a gateway can decode.
 */

const ENCODER = new TextEncoder();

/** All that stands for itself: `tchar` of RFC 9110 but `%` and `_`. */
const PLAIN_NAME = /^[a-z0-9!#$&'*+.^`|~-]+$/;
const TOKEN = /^[A-Za-z0-9!#$&'*+.^`|~-]$/;

/** @param name as in the interface: lower case, without prefix */
export function encodeHeaderName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  let encoded = '';
  for (const byte of ENCODER.encode(name.replaceAll('=', '=3d').replaceAll('_', '=5f'))) {
    const character = String.fromCharCode(byte);
    encoded += TOKEN.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return encoded;
}

/** @param encoded in lower case, without prefix */
export function decodeHeaderName(encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  // A name with invalid percent-encoding was given by a client of Swift: it is taken as it is.
  const decoded = percentDecoded(encoded) ?? encoded;
  return decoded.replaceAll('=5f', '_').replaceAll('=3d', '=');
}

/** Bytes of a value in one header: a line may have 8,192 (`max_header_size`) with its name. */
const PIECE_BYTES = 7000;

const ESCAPED = 'ringway%';
const CUT = 'ringway+';
const CUT_MARK = /^ringway\+(\d{1,3})([%*])/;

/** Printable ASCII without blanks at its ends, which HTTP takes away; not empty, which deletes. */
const PLAIN_VALUE = /^[!-~]([ -~]*[!-~])?$/;
/** Runs of what is percent-encoded: all but printable ASCII, and `%`. */
const UNSAFE = /[^!-$&-~]+/gu;

/**
 * The headers of one name; `nameOf` gives the header of a name, or of a piece of it.
 *
 * Values of system metadata as headers, and back. A value of printable ASCII is the header's value
 * as it is, so that Swift's s3api reads what we write and an operator can too. Any other one is
 * percent-encoded behind a mark. One that is too long for a header is cut up, after it was deflated
 * (RFC 1951, in base64) where that is shorter: all headers together may have some 60 KB.
 *
 *     x-…-tags:             a=1&b=2
 *     x-…-title:            ringway%gr%C3%BC%C3%9Fe
 *     x-…-policy:           ringway+3%{"Statement":…
 *     x-…-ringway-1-policy: …
 *     x-…-ringway-2-policy: …
 *     x-…-cors:             ringway+2*7VbLbtswEPwVQ…
 *     x-…-ringway-1-cors:   …
 */
export function encodeValue(
  name: string,
  value: string,
): readonly (readonly [name: string, value: string])[] {
  if (value.length <= PIECE_BYTES && isPlain(value)) return [[name, value]];
  const escaped = value.replaceAll(UNSAFE, encodeUriComponentAws);
  if (escaped.length <= PIECE_BYTES) return [[name, ESCAPED + escaped]];
  const deflated = deflateRawSync(value).toString('base64');
  return deflated.length < escaped.length ? cut(name, deflated, '*') : cut(name, escaped, '%');
}

function cut(name: string, text: string, form: '%' | '*'): (readonly [string, string])[] {
  const count = Math.ceil(text.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, i) => {
    const piece = text.slice(i * PIECE_BYTES, (i + 1) * PIECE_BYTES);
    return i === 0 ? [name, `${CUT}${count}${form}${piece}`] : [pieceName(name, i), piece];
  });
}

/**
 * @param valueOf the header of a name, or of a piece of it
 * @returns undefined without such a header, or when a piece of it is missing
 */
export function decodeValue(
  name: string,
  valueOf: (name: string) => string | undefined,
): string | undefined {
  const value = valueOf(name);
  if (!value?.startsWith('ringway')) return value;
  if (value.startsWith(ESCAPED)) return percentDecoded(value.slice(ESCAPED.length));
  const [mark, , form] = CUT_MARK.exec(value) ?? [];
  if (mark === undefined) return value;
  const pieces = [value.slice(mark.length)];
  for (let i = 1; i < pieceCount(value); i++) {
    const piece = valueOf(pieceName(name, i));
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  return form === '*' ? inflated(pieces.join('')) : percentDecoded(pieces.join(''));
}

/** The number of headers that a long value was split into, from the first of them. */
export function pieceCount(value: string): number {
  return Number(CUT_MARK.exec(value)?.[1] ?? 1);
}

export function pieceName(name: string, index: number): string {
  return `ringway-${index}-${name}`;
}

function isPlain(value: string): boolean {
  return PLAIN_VALUE.test(value) && !value.startsWith(ESCAPED) && !value.startsWith(CUT);
}

/** The bound of an inflated value: one that was written by hand must not fill the memory. */
const INFLATED_BYTES_MAX = 1024 * 1024;

function inflated(base64: string): string | undefined {
  try {
    const options = { maxOutputLength: INFLATED_BYTES_MAX };
    return inflateRawSync(Buffer.from(base64, 'base64'), options).toString('utf8');
  } catch {
    return undefined;
  }
}
