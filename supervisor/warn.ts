/** Writes a line for the operator at the terminal, in words and at every log level. */
export function warn(line: string): void {
  process.stderr.write(`ringway: warning: ${line}\n`);
}
