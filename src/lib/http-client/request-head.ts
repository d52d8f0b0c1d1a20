/** A request that HTTP/1.1 has no way to carry. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** A name of a header, or a method (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Characters that a value must not have: they would end its line, or have no byte in latin1. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

const NOT_IN_TARGET = /[^\x21-\x7e\x80-\xff]/;

/** Names that were found to be tokens: they are always the same few. */
const knownNames = new Set<string>();
const KNOWN_NAMES_MAX = 1024;

/**
 * The head of a request, as it goes over the wire in latin1: request line, `Host`, the headers given,
 * and the empty line.
 *
 * @param target raw, with the query; nothing in it is normalised
 * @param headers name, value, name, value; each character of a value is one byte
 * @throws InvalidRequestError
 */
export function formatRequestHead(
  method: string,
  target: string,
  host: string,
  headers: readonly string[],
): string {
  if (!TOKEN.test(method)) throw new InvalidRequestError(`${JSON.stringify(method)} is no method`);
  if (target === '' || NOT_IN_TARGET.test(target)) {
    throw new InvalidRequestError(`${JSON.stringify(target)} is no request target`);
  }
  let head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const value = headers[i + 1] ?? '';
    if (!knownNames.has(name)) learnName(name);
    if (NOT_IN_VALUE.test(value)) {
      throw new InvalidRequestError(
        `the value of the header ${name} has a character that a header cannot have`,
      );
    }
    head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

function learnName(name: string): void {
  if (!TOKEN.test(name)) {
    throw new InvalidRequestError(`${JSON.stringify(name)} is no name of a header`);
  }
  if (knownNames.size < KNOWN_NAMES_MAX) knownNames.add(name);
}
