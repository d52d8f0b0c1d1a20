/** The icon of a row, by what it is and how its name ends. */

const BY_ENDING = {
  'file-image': 'avif bmp gif heic ico jpeg jpg png svg tif tiff webp',
  'file-play': 'avi m4v mkv mov mp4 mpeg mpg webm',
  'file-headphone': 'aac flac m4a mp3 ogg opus wav',
  'file-archive': '7z bz2 gz rar tar tgz xz zip zst',
  'file-spreadsheet': 'csv ods parquet tsv xls xlsx',
  'file-braces': 'json jsonl ndjson toml yaml yml xml',
  'file-code': 'c cpp css go h html java js mjs php py rb rs sh sql ts',
  'file-text': 'doc docx log md odt pdf rtf txt',
};

const ICONS = new Map(
  Object.entries(BY_ENDING).flatMap(([icon, endings]) =>
    endings.split(' ').map((ending) => [ending, icon]),
  ),
);

/**
 * @param row of the table
 * @returns the name of an icon in the sprite
 */
export function iconOf({ kind, display }: { kind: string; display: string }): string {
  if (kind === 'folder') return 'folder';
  if (kind === 'gone') return 'archive-x';
  const ending = /\.([a-z0-9]+)$/i.exec(display)?.[1] ?? '';
  return ICONS.get(ending.toLowerCase()) ?? 'file';
}
