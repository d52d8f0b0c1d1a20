const END = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const CENTRAL_ENTRY = 0x02014b50;
const CENTRAL_ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;

/** The stored entries of an archive by name, as its directory has them; none when it was cut. */
export function entriesOf(archive: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  const end = archive.lastIndexOf(END);
  if (end === -1) return entries;
  let at = archive.readUInt32LE(end + 16);
  while (archive.readUInt32LE(at) === CENTRAL_ENTRY) {
    const nameLength = archive.readUInt16LE(at + 28);
    const rest = archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    const nameStart = at + CENTRAL_ENTRY_BYTES;
    const name = archive.toString('utf8', nameStart, nameStart + nameLength);
    entries.set(
      name,
      dataOf(archive, archive.readUInt32LE(at + 42), archive.readUInt32LE(at + 20)),
    );
    at = nameStart + nameLength + rest;
  }
  return entries;
}

function dataOf(archive: Buffer, header: number, length: number): Buffer {
  const names = archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const start = header + LOCAL_HEADER_BYTES + names;
  return archive.subarray(start, start + length);
}
