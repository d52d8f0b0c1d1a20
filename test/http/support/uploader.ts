import { connect } from 'node:net';
import { uploadPiece } from './upload-pattern.js';

/**
 * Uploads as fast as the kernel takes it, in a process of its own: `uploader.js PORT PIECES`.
 * Prints the status of the answer.
 */
const [port = '', pieces = ''] = process.argv.slice(2);
const socket = connect(Number(port), '127.0.0.1');
const length = Number(pieces) * uploadPiece(0).length;
socket.write(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
for (let n = 0; n < Number(pieces); n++) socket.write(uploadPiece(n));
socket.once('data', (answer) => {
  console.log(answer.toString('latin1', 9, 12));
  socket.destroy();
});
