/** How clients are set up: docs/clients.md says more of each. */

export interface Connection {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
}

export interface Client {
  readonly id: string;
  readonly title: string;
  /** The file that the text belongs into; empty for a program. */
  readonly place: string;
  readonly text: (connection: Connection) => string;
}

const SECRET = 'YOUR_SECRET_KEY';

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;

/** Texts of Python, and of shells, which nothing in them ends early. */
const quoted = (text: string) => JSON.stringify(text);
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export const CLIENTS: readonly Client[] = [
  {
    id: 'aws',
    title: 'AWS CLI',
    place: 'In a shell',
    text: ({ endpoint, region, accessKey }) =>
      lines(
        `export AWS_ACCESS_KEY_ID=${shellQuoted(accessKey)}`,
        `export AWS_SECRET_ACCESS_KEY=${shellQuoted(SECRET)}`,
        `export AWS_DEFAULT_REGION=${shellQuoted(region)}`,
        'aws configure set default.s3.addressing_style path',
        `aws --endpoint-url ${endpoint} s3 ls`,
      ),
  },
  {
    id: 'rclone',
    title: 'rclone',
    place: 'In ~/.config/rclone/rclone.conf',
    text: ({ endpoint, region, accessKey }) =>
      lines(
        '[ringway]',
        'type = s3',
        'provider = Other',
        `endpoint = ${endpoint}`,
        `region = ${region}`,
        `access_key_id = ${accessKey}`,
        `secret_access_key = ${SECRET}`,
        '',
        '# Then: rclone lsd ringway:',
      ),
  },
  {
    id: 's3cmd',
    title: 's3cmd',
    place: 'In ~/.s3cfg',
    text: ({ endpoint, region, accessKey }) => {
      const { host, protocol } = new URL(endpoint);
      return lines(
        '[default]',
        `host_base = ${host}`,
        `host_bucket = ${host}`,
        `bucket_location = ${region}`,
        `use_https = ${protocol === 'https:' ? 'True' : 'False'}`,
        `access_key = ${accessKey}`,
        `secret_key = ${SECRET}`,
        '',
        '# Then: s3cmd ls',
      );
    },
  },
  {
    id: 'boto3',
    title: 'boto3',
    place: 'In Python',
    text: ({ endpoint, region, accessKey }) =>
      lines(
        'import boto3',
        'from botocore.config import Config',
        '',
        's3 = boto3.client(',
        '    "s3",',
        `    endpoint_url=${quoted(endpoint)},`,
        `    region_name=${quoted(region)},`,
        `    aws_access_key_id=${quoted(accessKey)},`,
        `    aws_secret_access_key=${quoted(SECRET)},`,
        '    config=Config(s3={"addressing_style": "path"}),',
        ')',
        'print(s3.list_buckets())',
      ),
  },
];
