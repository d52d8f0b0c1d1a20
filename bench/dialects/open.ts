import type { Dialect, DialectSettings } from './dialect.js';
import { PlainDialect } from './plain.js';
import { S3Dialect } from './s3.js';
import { SwiftDialect } from './swift.js';

export function openDialect(settings: DialectSettings): Dialect {
  switch (settings.kind) {
    case 's3':
      return new S3Dialect(settings);
    case 'swift':
      return new SwiftDialect(settings.storageUrl, settings.token);
    case 'plain':
      return new PlainDialect(settings.endpoint);
  }
}
