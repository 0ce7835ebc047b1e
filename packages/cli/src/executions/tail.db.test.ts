import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenAt } from '@holdfast/kit/http';
import { describe, expect, it } from '@jest/globals';
import { startHoldfast } from '../testing/holdfast.ts';

describe('holdfast executions tail', () => {
  it('ends at Ctrl-C although the admin API does not respond', async () => {
    const silent = createServer();
    const asked = once(silent, 'request');
    const port = await listenAt(silent, { host: '127.0.0.1', port: 0 });
    const env = { HOLDFAST_ADMIN_URL: `http://127.0.0.1:${port}`, ADMIN_TOKEN: 'any' };
    const tail = startHoldfast(['executions', 'tail', 'exec_1'], env);
    await asked;
    expect(await tail.interrupt()).toBe(1);
    silent.closeAllConnections();
    silent.close();
  });
});
