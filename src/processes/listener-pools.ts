import type { FilledOptions } from '../config/options.js';
import { createDigestFactory, type DigestService } from '../digest/index.js';
import { createPagePool, type PagePool } from '../s3/xml-pool/page-pool.js';
import type { TaskTiming } from '../s3/xml-pool/pool-thread.js';
import { createXmlPool, type XmlPool } from '../s3/xml-pool/index.js';
import type { ListenerMetrics } from '../telemetry/metrics.js';

/** A listener's threads, which start with the first work for them. */
export interface ListenerPools {
  readonly digests: DigestService;
  readonly documents: XmlPool;
  readonly pages: PagePool;
  /** Ends them after what was begun: before the store that they read is closed. */
  close(): Promise<void>;
}

export function createPools(options: FilledOptions, metrics: ListenerMetrics): ListenerPools {
  const onTask = ({ waitS, runS }: TaskTiming): void => {
    metrics.poolTaskFinished(waitS, runS);
  };
  const digests = createDigestFactory({
    inlineBytesMax: options.digestInlineBytesMax,
    lanes: options.digestLanes,
    onTask: ({ waitS, runS, bytes }) => {
      metrics.poolTaskFinished(waitS, runS);
      metrics.digestLaneHashed(bytes);
    },
  });
  const documents = createXmlPool({ inlineBytesMax: options.xmlInlineBytesMax, onTask });
  const pages = createPagePool({ onTask });
  for (const pool of [digests, documents, pages]) metrics.watchPool(() => pool.stats());
  return {
    digests,
    documents,
    pages,
    close: async () => {
      await digests.close();
      await documents.close();
      await pages.close();
    },
  };
}
