import { expect, it } from '@jest/globals';
import { opensLoopback } from './settings.ts';

it.each<[NodeJS.ProcessEnv, boolean]>([
  [{}, true],
  [{ LISTEN_HOST: '127.0.0.1', PUBLIC_URL: 'http://localhost:8080' }, true],
  [{ LISTEN_HOST: '0.0.0.0' }, false],
  [{ PUBLIC_URL: 'https://holdfast.example.com' }, false],
  [{ EGRESS_ALLOW_CIDRS: '' }, false],
  [{ WEBHOOK_ALLOW_HTTP: 'false' }, false],
])('npm start with %j sends webhooks to this machine: %s', (env, isOpen) => {
  expect(opensLoopback(env)).toBe(isOpen);
});
