import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.js';
import { findProgram, runProgram } from '../../test/support/programs.js';
import { makeTempFolder, removeFolder } from '../../test/support/temp-folder.js';
import { ChildServer } from './child-server.js';
import { TargetError, type Target } from './target.js';

/**
 * nginx with static files and WebDAV: what a web server takes for the same bytes, without
 * signatures, metadata or listings. It never syncs what it stores.
 */
export async function startNginx(workers: number): Promise<Target> {
  if (findProgram('nginx') === undefined) {
    throw new TargetError('nginx is not installed (Debian: apt install nginx-light)');
  }
  const folder = await makeTempFolder('bench-nginx');
  const port = await freePort();
  for (const name of ['files', 'incoming']) await mkdir(join(folder, name));
  const configFile = join(folder, 'nginx.conf');
  await writeFile(configFile, configuration(folder, port, workers));
  const server = new ChildServer('nginx', ['-p', folder, '-c', configFile], folder);
  await server.accepts(port);
  return {
    name: 'nginx',
    description: `${await version()}, static files and WebDAV, ${workers} workers, nothing synced`,
    dialect: { kind: 'plain', endpoint: `http://127.0.0.1:${port}` },
    groups: [{ name: 'nginx', pids: [server.pid] }],
    keepsData: false,
    stop: async () => {
      await server.stop();
      await removeFolder(folder);
    },
  };
}

async function version(): Promise<string> {
  const { stderr } = await runProgram('nginx', ['-v']);
  return stderr.trim().replace(/^nginx version: /, '');
}

/** If nginx starts as root, its workers become a user who may not write into our folder. */
function configuration(folder: string, port: number, workers: number): string {
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
daemon off;
worker_processes ${workers};
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_temp_path ${folder}/incoming;
  proxy_temp_path ${folder}/incoming/proxy;
  fastcgi_temp_path ${folder}/incoming/fastcgi;
  uwsgi_temp_path ${folder}/incoming/uwsgi;
  scgi_temp_path ${folder}/incoming/scgi;
  server {
    listen 127.0.0.1:${port} reuseport;
    root ${folder}/files;
    location / {
      dav_methods PUT DELETE;
      create_full_put_path on;
    }
  }
}
`;
}
