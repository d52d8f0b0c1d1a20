const BLOCK_BYTES = 512;

/** A tar archive of one file, as POSIX.1-1988 has it. */
export function tarOf(name: string, content: string): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const body = Buffer.from(content);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  // The sum counts its own field as spaces.
  header.write('        0ustar\u000000', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc(-body.length & (BLOCK_BYTES - 1));
  return Buffer.concat([header, body, padding, Buffer.alloc(2 * BLOCK_BYTES)]);
}
