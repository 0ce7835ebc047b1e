import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { adminPort, reservePorts, servicePort, webhooksPort } from './ports.ts';

const fresh = () => webhooksPort(undefined, []);

it('the port of webhooks:listen is never the port of a service', async () => {
  const [port, service] = [await fresh(), await servicePort()];
  expect(port).toBeGreaterThanOrEqual(15_000);
  expect(port).toBeLessThan(20_000);
  expect(service).toBeGreaterThanOrEqual(20_000);
});

it('the port of webhooks:listen stays the same unless it is configured or out of range', async () => {
  const port = await fresh();
  expect(await webhooksPort(port, [8080])).toBe(port);
  expect(await webhooksPort(port, [8080, port])).not.toBe(port);
  expect(await webhooksPort(20_001, [])).toBeLessThan(20_000);
  expect(await webhooksPort(5432, [])).toBeGreaterThanOrEqual(15_000);
});

it('the port of webhooks:listen changes when another process uses it', async () => {
  const port = await fresh();
  const other = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  expect(await webhooksPort(port, [])).not.toBe(port);
  await new Promise((resolve) => other.close(resolve));
});

it('the admin port is 8081 or the next free one, and the kept one while that is free', async () => {
  const port = await adminPort(undefined, []);
  expect(port).toBeGreaterThanOrEqual(8081);
  expect(port).toBeLessThan(8181);
  expect(await adminPort(port, [])).toBe(port);
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const next = await adminPort(port, []);
  expect(next).toBeGreaterThan(port);
  expect(await adminPort(port, [next])).toBeGreaterThan(next);
  other.close();
});

const ports = Array.from({ length: 12_000 }, (_, index) => 20_000 + index);

it('a port that another launcher has chosen is given to no service while it runs, though nothing listens there yet', async () => {
  const module = pathToFileURL(`${import.meta.dirname}/ports.ts`).href;
  const program = `import { servicePort } from '${module}';
    console.log(await servicePort());
    process.stdin.resume();`;
  const launcher = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const port = Number((await once(launcher.stdout, 'data')).toString());
  reservePorts(ports.filter((other) => other !== port));
  await expect(servicePort()).rejects.toThrow('No free port');
  launcher.stdin.end();
  await once(launcher, 'exit');
  expect(await servicePort()).toBe(port);
});

it('a port that a setting names is given to no service', async () => {
  reservePorts(ports);
  await expect(servicePort()).rejects.toThrow('No free port');
});
