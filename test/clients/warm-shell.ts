import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { WarmAwsCli, type Place } from './warm-aws.js';

/**
 * The program `aws` of a shell, which hands its command line, folder and environment over to a
 * {@link WarmAwsCli}. It prints what that wrote to stdout, or to stderr where it failed.
 */
const PROGRAM = `#!/bin/bash
exec 3<>"/dev/tcp/127.0.0.1/$WARM_AWS_PORT"
{ printf '%s\\0' "$#" "$@" "$PWD"; cat /proc/self/environ; printf '\\0'; } >&3
read -r code <&3
[[ $code = 0 ]] || exec >&2
cat <&3
exit "$code"
`;

/** What a shell needs for it in its environment, and how it ends. */
export interface WarmAws {
  readonly env: Readonly<Record<string, string>>;
  end(): void;
}

/**
 * @param folder an empty one, for the program
 * @param env of a shell
 * @returns undefined where the installed aws cli cannot be kept warm
 */
export async function warmAwsFor(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<WarmAws | undefined> {
  const aws = WarmAwsCli.start({ cwd: folder, env });
  if (aws === undefined) return undefined;
  await writeFile(join(folder, 'aws'), PROGRAM);
  await chmod(join(folder, 'aws'), 0o700);
  const server = createServer((socket) => {
    serve(aws, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: { PATH: `${folder}${delimiter}${env.PATH ?? ''}`, WARM_AWS_PORT: String(port) },
    end: () => {
      aws.end();
      server.close();
    },
  };
}

function serve(aws: WarmAwsCli, socket: Socket): void {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const request = requestOf(text);
    if (request === undefined) return;
    void aws.run(request.args, request.place).then(({ code, stdout, stderr }) => {
      socket.end(`${code}\n${code === 0 ? stdout : stderr}`);
    });
  });
}

/** @returns undefined where more of it is to come */
function requestOf(text: string): { args: readonly string[]; place: Place } | undefined {
  const [count = '', ...parts] = text.split('\0');
  const args = parts.slice(0, Number(count));
  const [cwd = '', ...variables] = parts.slice(args.length);
  const end = variables.indexOf('');
  // The last part may be cut: only what a NUL follows is whole.
  if (end === -1 || end === variables.length - 1) return undefined;
  const environment = Object.fromEntries(
    variables.slice(0, end).map((variable) => {
      const at = variable.indexOf('=');
      return [variable.slice(0, at), variable.slice(at + 1)];
    }),
  );
  return { args, place: { cwd, environment } };
}
