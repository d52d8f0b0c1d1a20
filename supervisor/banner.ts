import { localUrl, type FilledOptions } from '../src/config/options.js';
import type { DeployOptions } from '../src/deploy/service/config.js';
import type { Credentials } from '../src/config/roster-source.js';
import { consoleLines, type ConsoleState } from './banner-console.js';
import { bannerCredential } from './banner-credential.js';

/** The parts that the banner shows besides the gateway. */
export interface BannerParts extends ConsoleState {
  /** The control service of Deploy, where the service runs one. */
  readonly deploy?: DeployOptions | undefined;
}

/**
 * The banner for a terminal, in eight lines: where S3 and the console are, and how to log in. The
 * console has the lines for clients.
 */
export function renderShortBanner(
  version: string,
  options: FilledOptions,
  credentials: Credentials,
  parts: BannerParts,
): string {
  const { accessKey, secretKey } = bannerCredential(credentials, options);
  const admin = localUrl(options.adminListen, schemeOf(options.adminTlsCertFile));
  const lines = [
    `  S3 endpoint  ${localUrl(options.s3Listen, schemeOf(options.tlsCertFile))}, region ${options.region}`,
    ...consoleLines(options, credentials, parts),
    `  Access key   ${accessKey}`,
    `  Secret key   ${secretKey}`,
    `  Health       ${admin}/readyz?verbose`,
    `  ${storageLine(options)}`,
  ];
  return `\nRingway ${version} is ready. Ctrl-C ends it.\n${lines.join('\n')}\n\n`;
}

/**
 * The text that is printed when the service is ready: where it is, how to sign, and lines to paste.
 * The secret is shown only when it was made just now; later lines read it from its file.
 */
export function renderBanner(
  version: string,
  options: FilledOptions,
  credentials: Credentials,
  parts: BannerParts,
): string {
  const credential = bannerCredential(credentials, options);
  const consolePart = consoleLines(options, credentials, parts)
    .map((line) => `${line}\n`)
    .join('');
  const endpoint = localUrl(options.s3Listen, schemeOf(options.tlsCertFile));
  return `
Ringway ${version} is ready.

  S3 endpoint  ${endpoint}
  Region       ${options.region}
  Access key   ${credential.accessKey}
  Secret key   ${credential.secretKey}
  Admin        ${localUrl(options.adminListen, schemeOf(options.adminTlsCertFile))}
${consolePart}${deployLine(parts)}${storeLine(options)}  ${storageLine(options)}
  Listeners    ${options.listeners}

Try it, in another terminal:

  export AWS_ACCESS_KEY_ID=${credential.accessKeyWord}
  export AWS_SECRET_ACCESS_KEY=${credential.secretKeyWord}
  export AWS_DEFAULT_REGION=${options.region}

${clientLines(endpoint, options)
  .map((line) => `  ${line}`)
  .join('\n')}

`;
}

function schemeOf(certFile: string): 'http' | 'https' {
  return certFile === '' ? 'http' : 'https';
}

/** Nothing where there is no control service. */
function deployLine({ deploy }: BannerParts): string {
  if (deploy === undefined) return '';
  return `  Deploy       ${localUrl(deploy.listen, schemeOf(deploy.tlsCertFile))}/v1\n`;
}

/** Nothing where there is no Swift API. */
function storeLine({ storeListen }: FilledOptions): string {
  return storeListen === '' ? '' : `  Swift API    ${localUrl(storeListen)}/auth/v1.0\n`;
}

function storageLine({ backend, dataDir, swiftEndpoints }: FilledOptions): string {
  return backend === 'embedded'
    ? `Data         ${dataDir}`
    : `Swift        ${swiftEndpoints.join(', ')}`;
}

/** One command for each client; they take the credential from the environment. */
export function clientLines(endpoint: string, { region }: FilledOptions): readonly string[] {
  const host = endpoint.replace(/^https?:\/\//, '');
  const ssl = endpoint.startsWith('https:') ? '--ssl' : '--no-ssl';
  return [
    `aws --endpoint-url ${endpoint} s3 ls`,
    `rclone lsd ':s3,provider=Other,env_auth=true,region=${region},endpoint="${endpoint}":'`,
    `s3cmd --host=${host} --host-bucket=${host} ${ssl} --region=${region}` +
      ' --access_key="$AWS_ACCESS_KEY_ID" --secret_key="$AWS_SECRET_ACCESS_KEY" ls',
  ];
}
