import { EXIT_CODES } from './exit-codes.js';

/** The text of `ringway help`. */
export function renderHelp(): string {
  const codes = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${code}\t${meaning}`);
  return `Ringway serves S3 from an embedded store, or from an OpenStack Swift cluster.

Usage:
  ringway start [flags]            serve until SIGTERM or SIGINT
  ringway check [flags] [--print] [--cluster]
                                   read configuration and credentials as start does, and stop;
                                   --print shows the effective configuration, secrets masked;
                                   --cluster looks at all proxies of the Swift cluster that are
                                   known, and says which of them is unlike the others
  ringway reload [flags]           have the running service put in force what its configuration
                                   file says now; nothing is changed when that cannot be used
  ringway drain [flags]            as SIGTERM, and waits until the service has ended
  ringway wait-ready [flags]       wait until the service is ready
  ringway janitor [flags] --dry-run | --once
                                   go once through all that lifecycle rules and orphaned parts are
                                   about, beside a running service or without one: --dry-run shows
                                   what would be done, --once does it
  ringway repair [flags] --bucket B [--key K] [--account A] [--dry-run]
                                   find and mend versions of a bucket's keys that are broken:
                                   lost indexes, lost versions, links out of step; --dry-run
                                   only shows them
  ringway store check [flags]      read all of the embedded store, beside a running service, and say
                                   what is damaged: a line of JSON for each fault
  ringway store export FILE [flags]
  ringway store import FILE [flags]
                                   one state of the whole store as one file, beside a running
                                   service; import takes an empty store; - is stdout or stdin
  ringway store compact [flags]    write the index without its free pages, when no service runs
  ringway capsule verify FILE [--trusted-keys DIR]
                                   check an Object Capsule of the console, without a service: each
                                   byte, and the signature; --trusted-keys names a folder of public
                                   keys (PEM), of which it has to be signed by one
  ringway deploy --config FILE [--import FILE]
                                   the control service of Deploy, with a configuration of its own (see
                                   docs/deploy.md); --import makes its state directory from a file
                                   that another one has exported, and ends
  ringway version
  ringway help

Flags, which win over the configuration file:
  --config FILE        configuration file (JSON; see docs/configuration.md)
  --data DIR           data directory              (./data)
  --s3 HOST:PORT       S3 API                      (127.0.0.1:8000)
  --admin HOST:PORT    metrics and health          (127.0.0.1:9464)
  --console HOST:PORT  console                     (127.0.0.1:9000)
  --store HOST:PORT    Swift API of the embedded store (127.0.0.1:8070)
  --listeners N        listener processes          (one for each CPU)

reload, drain and wait-ready find the service by its data directory, and take, too:
  --timeout-ms N       give up then                (wait-ready: 60000; the others: never)

At the first start, RINGWAY_ACCESS_KEY and RINGWAY_SECRET_KEY become the credential when both are
set; otherwise one is generated, printed once (but not to systemd's journal) and kept in the data
directory.

Exit codes:
${codes.join('\n')}
`;
}
