import { EXIT_CODES } from './exit-codes.js';

/** What `ringway help` prints. */
export function renderHelp(): string {
  const codes = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${code}\t${meaning}`);
  return `Ringway serves S3 from an embedded store.

Usage:
  ringway start [flags]            serve until SIGTERM or SIGINT
  ringway check [flags] [--print]  read configuration and credentials as start does, and stop;
                                   --print shows the effective configuration, secrets masked
  ringway janitor [flags] --dry-run | --once
                                   go once through all that lifecycle rules and orphaned parts are
                                   about, beside a running service or without one: --dry-run shows
                                   what would be done, --once does it
  ringway version
  ringway help

Flags, which win over the configuration file:
  --config FILE        configuration file (JSON; see docs/configuration.md)
  --data DIR           data directory              (./data)
  --s3 HOST:PORT       S3 API                      (127.0.0.1:8000)
  --admin HOST:PORT    metrics and health          (127.0.0.1:9464)
  --console HOST:PORT  console; not in this release (127.0.0.1:9000)
  --listeners N        listener processes          (one for each CPU)

At the first start, RINGWAY_ACCESS_KEY and RINGWAY_SECRET_KEY become the credential when both are
set; otherwise one is generated, printed once and kept in the data directory.

Exit codes:
${codes.join('\n')}
`;
}
