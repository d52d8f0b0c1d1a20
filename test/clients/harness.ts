import { S3, type S3ClientConfig } from '@aws-sdk/client-s3';
import { Client, type ClientOptions } from 'minio';
import { useOnce } from '../support/fixture.js';
import type { S3Address } from '../support/s3-client.js';
import { startService, type Service, type ServiceOptions } from '../support/service.js';
import { serviceOfSuites } from '../support/shared-service.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

/** The bench of one client's suite, from before its first test to after its last. */
export interface ClientBench {
  readonly service: Service;
  /** An empty folder for the client's home, its sources and what it fetches. */
  readonly folder: string;
}

/** Real clients move many files, on a machine that may be slow: a guard, no measurement. */
const CLIENT_LIMIT_MS = 10 * 60_000;

/**
 * Registers hooks in the current suite.
 *
 * @param options - of a service of its own; by default one that other suites use, too
 * @returns the bench, once the hooks ran
 */
export function useBench(suite: Mocha.Suite, options?: ServiceOptions): () => ClientBench {
  suite.timeout(CLIENT_LIMIT_MS);
  const service = useOnce(
    () => (options === undefined ? serviceOfSuites() : startService(options)),
    'stop',
  );
  const folder = useTempFolderOnce('client');
  return useOnce(() => ({ service: service(), folder: folder() }));
}

/** The AWS SDK with all defaults but endpoint and path style. */
export function sdkOf(service: S3Address, more: S3ClientConfig = {}): S3 {
  const { endpoint, accessKey, secretKey } = service;
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
  return new S3({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, ...more });
}

/** The same for a suite. @returns it, once the hooks ran */
export function useSdk(bench: () => ClientBench): () => S3 {
  return useOnce(() => sdkOf(bench().service), 'destroy');
}

/** As docs/clients.md tells its users. */
export function minioClient(
  { endpoint, accessKey, secretKey }: Service,
  more: Pick<ClientOptions, 'partSize'> = {},
): Client {
  const { hostname, port } = new URL(endpoint);
  const address = { endPoint: hostname, port: Number(port), useSSL: false };
  return new Client({ ...address, accessKey, secretKey, region: 'us-east-1', ...more });
}

/** `task` for each item, at most `limit` at a time. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await task(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
