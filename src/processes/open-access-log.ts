import type { FilledOptions } from '../config/options.js';
import { StartError } from './child.js';
import { AccessLog } from '../telemetry/access-log.js';
import type { Logger } from '../telemetry/logger.js';
import type { ListenerMetrics } from '../telemetry/metrics.js';

/** The access log that the configuration asks for, if any. @throws StartError */
export function openAccessLog(
  { accessLog: file }: FilledOptions,
  metrics: ListenerMetrics,
  log: Logger,
): AccessLog | undefined {
  if (file === '') return undefined;
  try {
    return new AccessLog({
      file,
      onDrop: () => {
        metrics.accessLogDropped();
      },
      onError: (error) => {
        log.error({ err: error, file }, 'the access log cannot be written');
      },
    });
  } catch (error) {
    const { message } = error as Error;
    throw new StartError('store', `access_log: cannot be written: ${message}`, { cause: error });
  }
}
