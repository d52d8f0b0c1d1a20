import { serveHttp } from '../../../src/http/server.js';

/**
 * A server in a process of its own, for what the library reads from the environment when it is
 * loaded. Tells its parent the port; answers with the number of headers and the longest value.
 */
const server = await serveHttp(
  {
    host: '127.0.0.1',
    port: 0,
    onHandlerError: (error) => {
      throw error;
    },
  },
  (exchange) => {
    const { headers, rawQuery } = exchange.request;
    const longest = Math.max(rawQuery.length, ...[...headers.values()].map((v) => v.length));
    void exchange.respond({ status: 200, headers: [], body: `${headers.size} ${longest}` });
  },
);
process.send?.(server.port);
process.once('disconnect', () => {
  server.close();
});
