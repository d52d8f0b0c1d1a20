/** @throws Error with this message for a longer text */
export async function collectText(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
  tooLong: string,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) throw new Error(tooLong);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
