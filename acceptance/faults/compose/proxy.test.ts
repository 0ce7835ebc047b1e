import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { limits } from '@holdfast/domain/limits';
import { expect, it } from '@jest/globals';

const config = readFileSync(resolve(import.meta.dirname, '../../../deploy/proxy/nginx.conf'), 'utf8');

it('the proxy passes callbacks of every accepted size on without buffering them', () => {
  const [, callbacks = ''] = /location \/v1\/callbacks\/ \{([^}]*)\}/.exec(config) ?? [];
  const [, mebibytes] = /client_max_body_size (\d+)m;/.exec(callbacks) ?? [];
  expect(Number(mebibytes) * 1024 * 1024).toBeGreaterThan(limits.providerBodyBytes);
  // Its copies would be in memory: /tmp is a tmpfs.
  expect(callbacks).toContain('proxy_request_buffering off;');
});
