import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Check, type HealthServer, startHealthServer } from './health.ts';
import { createRegistry } from './metrics.ts';

let server: HealthServer;

afterEach(() => server.close());

async function get(path: string, checks: { live?: Check; ready?: Check }) {
  const { live = () => null, ready = () => null } = checks;
  const at = { host: '127.0.0.1', port: 0 };
  server = await startHealthServer({
    at,
    registry: createRegistry('test'),
    live: { live },
    ready: { ready },
  });
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return { status: response.status, text: await response.text() };
}

describe('the health server', () => {
  it('is healthy and ready when all checks pass', async () => {
    expect(await get('/healthz', {})).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  it('exports the result of each check to Prometheus when it is scraped', async () => {
    const { text } = await get('/metrics', { ready: () => 'the database is unavailable' });
    expect(text).toMatch(/^holdfast_check_up\{.*check="live".*\} 1$/m);
    expect(text).toMatch(/^holdfast_check_up\{.*check="ready".*\} 0$/m);
  });

  it('is alive while it is not ready', async () => {
    expect(await get('/healthz', { ready: () => 'Redis is unavailable' })).toMatchObject({ status: 200 });
  });

  it.each<[string, Check]>([
    ['says so', () => 'stuck'],
    ['throws', () => Promise.reject(new Error('stuck'))],
    [
      'throws at once',
      () => {
        throw new Error('stuck');
      },
    ],
  ])('names the problem when a check %s', async (_how, live) => {
    const { status, text } = await get('/readyz', { live });
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'failing', problems: { live: 'stuck' } }]);
  });

  it('responds although a check hangs', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] });
    try {
      const pending = get('/readyz', { ready: () => new Promise(() => {}) });
      let result: Awaited<typeof pending> | null = null;
      while (result === null) {
        jest.advanceTimersByTime(100);
        result = await Promise.race([pending, new Promise<null>((next) => setImmediate(next, null))]);
      }
      expect(result).toMatchObject({ status: 503 });
    } finally {
      jest.useRealTimers();
    }
  });

  it('says why its metrics cannot be read, and lives on', async () => {
    const registry = createRegistry('test');
    jest.spyOn(registry, 'metrics').mockRejectedValue(new Error('a gauge failed'));
    server = await startHealthServer({ at: { host: '127.0.0.1', port: 0 }, registry, live: {}, ready: {} });
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect([response.status, await response.text()]).toEqual([500, 'a gauge failed']);
  });

  it('serves its metrics, and no other path', async () => {
    expect((await get('/metrics', {})).text).toContain('process_cpu_seconds_total{service="test"}');
    await server.close();
    expect(await get('/', {})).toMatchObject({ status: 404 });
  });
});

/** What the health check of an image says, and its exit code. */
function checkHealth(port: number): Promise<{ code: number; text: string }> {
  const script = resolve(import.meta.dirname, '../../../deploy/image/health');
  return new Promise((done) => {
    const child = execFile(script, { env: { METRICS_PORT: String(port) } }, (_error, text) =>
      done({ code: child.exitCode ?? -1, text }),
    );
  });
}

describe('the health check of an image', () => {
  it('passes while the service is ready', async () => {
    await get('/readyz', {});
    expect(await checkHealth(server.port)).toEqual({ code: 0, text: '{"status":"ok"}\n' });
  });

  it('fails with the list of problems while the service is not ready', async () => {
    const { text } = await get('/readyz', { ready: () => 'Redis is unavailable' });
    expect(await checkHealth(server.port)).toEqual({ code: 1, text: `${text}\n` });
  });

  it('fails when nothing listens', async () => {
    await get('/readyz', {});
    const { port } = server;
    await server.close();
    expect(await checkHealth(port)).toEqual({ code: 1, text: '' });
  });
});
