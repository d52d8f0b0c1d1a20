/** For the operator at the terminal, in words and whatever the log level. */
export function warn(line: string): void {
  process.stderr.write(`ringway: warning: ${line}\n`);
}
