/**
 * The rows of a page of a listing as Swift sends it; undefined for what is no list. Threads load this
 * file alone, and not what asks for listings.
 */
export function rowsIn(listing: Uint8Array): readonly unknown[] | undefined {
  if (listing.length === 0) return [];
  try {
    const rows: unknown = JSON.parse(Buffer.from(listing).toString('utf8'));
    return Array.isArray(rows) ? rows : undefined;
  } catch {
    return undefined;
  }
}
