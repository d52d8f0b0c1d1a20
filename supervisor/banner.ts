import { formatAddress, type FilledOptions, type ListenAddress } from '../src/config/options.js';
import type { Credentials } from '../src/config/credentials-file.js';

/** Addresses that mean "every interface" are none that a client can connect to. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL under which a client on this machine reaches an address. */
export function localUrl({ host, port }: ListenAddress): string {
  return `http://${formatAddress({ host: ANY_HOST[host] ?? host, port })}`;
}

/**
 * What is printed when the service is ready: where it is, how to sign, and lines to paste. The
 * secret is shown only when it was made just now; later lines read it from its file.
 */
export function renderBanner(
  version: string,
  options: FilledOptions,
  { roster, origin }: Credentials,
): string {
  const [first] = roster;
  if (first === undefined) throw new Error('a roster is never empty');
  const endpoint = localUrl(options.s3Listen);
  const file = options.credentialsFile;
  const secretLine =
    origin === 'generated'
      ? `${first.secretKey}  (shown this once; kept in ${file})`
      : `kept in ${file}`;
  return `
Ringway ${version} is ready.

  S3 endpoint  ${endpoint}
  Region       ${options.region}
  Access key   ${first.accessKey}
  Secret key   ${secretLine}
  Admin        ${localUrl(options.adminListen)}
  Data         ${options.dataDir}
  Listeners    ${options.listeners}

Try it, in another terminal:

  export AWS_ACCESS_KEY_ID=${shellWord(first.accessKey)}
  export AWS_SECRET_ACCESS_KEY=${origin === 'generated' ? shellWord(first.secretKey) : secretFromFile(file)}
  export AWS_DEFAULT_REGION=${options.region}

${clientLines(endpoint, options)
  .map((line) => `  ${line}`)
  .join('\n')}

`;
}

/** One command for each client; they take the credential from the environment. */
export function clientLines(endpoint: string, { region }: FilledOptions): readonly string[] {
  const host = endpoint.replace(/^http:\/\//, '');
  return [
    `aws --endpoint-url ${endpoint} s3 ls`,
    `rclone lsd ':s3,provider=Other,env_auth=true,region=${region},endpoint="${endpoint}":'`,
    `s3cmd --host=${host} --host-bucket=${host} --no-ssl --region=${region}` +
      ' --access_key="$AWS_ACCESS_KEY_ID" --secret_key="$AWS_SECRET_ACCESS_KEY" ls',
  ];
}

function secretFromFile(file: string): string {
  const script = `JSON.parse(fs.readFileSync(process.argv[1])).credentials[0].secret_key`;
  return `"$(node -p '${script}' ${shellWord(file)})"`;
}

/** Quoted where a shell would read it otherwise. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
