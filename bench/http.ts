import { Agent, request } from 'node:http';

export type Http = {
  post(path: string, body: unknown, status: number, headers?: Record<string, string>): Promise<unknown>;
  close(): void;
};

/** Plain `node:http`: the load must cost little of what is measured. */
export function openHttp(origin: string, bearer: string, connections: number): Http {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
  const authorization = `Bearer ${bearer}`;

  function post(path: string, body: unknown, status: number, headers: Record<string, string> = {}) {
    const text = JSON.stringify(body);
    const own = {
      authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    return new Promise<unknown>((resolve, reject) => {
      const sent = request({ agent, hostname, port, path, method: 'POST', headers: { ...own, ...headers } });
      sent.on('error', reject);
      sent.on('response', (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          answer += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === status) resolve(JSON.parse(answer));
          else reject(new Error(`POST ${path} answered ${response.statusCode}: ${answer.slice(0, 300)}`));
        });
      });
      sent.end(text);
    });
  }

  return { post, close: () => agent.destroy() };
}
