// The thread of startTrivialServer in threads.ts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';

const send = parentPort?.postMessage.bind(parentPort);
let created = 0;

const server = createServer((request, response) => {
  request.on('data', () => undefined);
  request.on('end', () => {
    created += 1;
    const body = `{"id":"exec_${created}","status":"PENDING","model":"sandbox-text","hold_amount":"0.01"}`;
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => send?.((server.address() as AddressInfo).port));
