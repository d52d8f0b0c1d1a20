/**
 * Sections of the documentation whose commands are run as they stand, one section after the other,
 * by a shell in an empty home: `test/clients/documented.test.ts`. Files that a section shows (`ini`,
 * with the path in its first line) lie there. The commands of `ELSEWHERE` are left out.
 */
export interface Walk {
  readonly page: string;
  readonly headings: readonly string[];
  /** Programs that it needs, besides the shell. */
  readonly needs: readonly string[];
  /** Buckets that are there before. */
  readonly buckets?: readonly string[];
  /** What the shell does before a block, by the block's number: what the page takes for granted. */
  readonly before?: Readonly<Record<number, string>>;
  /** A text of it, and what is run in its place. */
  readonly instead?: readonly [text: string, other: string];
  /** It mounts a bucket. */
  readonly hasMount?: true;
}

const PICTURES = 'mkdir -p photos/pets; echo cat | tee cat.jpg photos/cat.jpg >photos/pets/cat.jpg';

/** The alias of docs/clients.md, for another section of it. */
const RW = "alias rw='aws --endpoint-url http://127.0.0.1:8000'";

/** The control service, until the walk ends: its first line says that it listens. */
const DEPLOY = `
echo "$EXAMPLE" >deploy.json
coproc exec "$NODE" "$MAIN" deploy --config deploy.json
trap 'kill "$COPROC_PID"' EXIT
read -r _ <&"\${COPROC[0]}"
`;

export const WALKS: readonly Walk[] = [
  {
    page: 'README.md',
    headings: ['Start'],
    needs: ['aws'],
    before: { 1: 'mkdir docs; echo page >docs/page' },
  },
  {
    page: 'docs/clients.md',
    headings: ['aws cli'],
    needs: ['aws'],
    before: { 0: `${PICTURES}; echo deed >deed.pdf` },
  },
  {
    page: 'docs/clients.md',
    headings: ['rclone'],
    needs: ['rclone'],
    before: { 0: PICTURES },
  },
  {
    page: 'docs/clients.md',
    headings: ['restic'],
    needs: ['restic', 'aws'],
    before: { 0: PICTURES, 1: RW },
  },
  {
    page: 'docs/clients.md',
    headings: ['s3cmd'],
    needs: ['s3cmd'],
    before: {
      0: PICTURES,
      1: `echo '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>
        <AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>' >cors.xml`,
    },
  },
  {
    page: 'docs/clients.md',
    headings: ['s3fs'],
    needs: ['s3fs', 'fusermount'],
    buckets: ['photos'],
    hasMount: true,
  },
  {
    page: 'docs/clients.md',
    headings: ['curl'],
    needs: ['curl'],
    buckets: ['photos'],
    before: { 0: 'pg_dump() { echo "of $1"; }' },
  },
  {
    page: 'docs/store-api.md',
    headings: ["The store's Swift API"],
    needs: ['swift'],
    before: { 0: 'echo sea >holiday.jpg' },
  },
  {
    page: 'docs/deploy.md',
    headings: ['From nothing to a cluster', 'State'],
    needs: ['openssl', 'curl', 'python3'],
    before: {
      0: 'ln -s "$PROJECT/ops" ops',
      1: DEPLOY,
      2: `sed 's/"state"/"other-state"/' deploy.json >other.json`,
    },
  },
  {
    page: 'docs/troubleshooting.md',
    headings: ['Troubleshooting'],
    needs: ['curl'],
  },
  {
    page: 'docs/operations.md',
    headings: ['Reload', 'Admin port', 'Janitor', 'Logs'],
    needs: ['curl'],
  },
  {
    page: 'docs/versions.md',
    headings: ['Repair'],
    needs: [],
    buckets: ['mended'],
    // Other walks have buckets of that name, in accounts of their own.
    instead: ['--bucket photos', '--bucket mended'],
  },
];

export function isWalked(page: string, heading: string): boolean {
  return WALKS.some((walk) => walk.page === page && walk.headings.includes(heading));
}
