/** The shapes of secrets, which no log may hold. */
const SHAPES: readonly RegExp[] = [
  // Signatures of version 4 and 2, in URLs and in headers.
  /X-Amz-Signature=[0-9a-f]{64}/i,
  /\bSignature=[0-9a-f]{64}/,
  /\bSignature=[A-Za-z0-9%+/]{26,}(?:=|%3D)/,
  /Authorization['":= ]+AWS[ 4]/i,
  // Tokens of Swift, and of TempURLs.
  /\bAUTH_tk[0-9a-f]{16,}/,
  /temp_url_sig=[0-9a-f]{16,}/,
];

/**
 * @param secrets - those that the service was given
 * @throws Error when a log holds one of them, or what looks like one; with the line, masked
 */
export function requireNoSecrets(log: string, secrets: readonly string[]): void {
  for (const line of log.split('\n')) {
    const known = secrets.find((secret) => line.includes(secret));
    if (known !== undefined) {
      throw new Error(`a secret in the log: ${line.replaceAll(known, '<secret>')}`);
    }
    const shape = SHAPES.find((one) => one.test(line));
    if (shape === undefined) continue;
    throw new Error(`what looks like a secret in the log: ${line.replace(shape, '<secret>')}`);
  }
}
