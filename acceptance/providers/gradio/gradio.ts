import assert from 'node:assert/strict';
import { create } from '../../stack/executions.ts';
import { cancels, completes, draws, fails, restarts, survives } from '../httpCases.ts';
import type { Suite } from '../suite.ts';

export const gradio: Suite = {
  requirements: ['gradio==6.31.0'],
  connections: (url) => ({ GRADIO_BASE_URL: url }),
  command: (port) => ({
    program: 'python',
    args: ['app.py'],
    folder: import.meta.dirname,
    env: { GRADIO_ANALYTICS_ENABLED: 'False', GRADIO_SERVER_PORT: String(port) },
  }),
  ready: { path: '/gradio_api/info' },
  cases: [
    completes('gradio-text', 'hello a dog'),
    draws('gradio-queue'),
    fails('gradio-text', { prompt: 'a dog', fail: 'input' }, 'GENERATION_FAILED'),
    fails('gradio-text', { prompt: 'a dog', fail: 'boom' }, 'GENERATION_FAILED'),
    {
      title: 'gradio-text: waits while the queue of the app is full',
      async run({ holdfast: { api, untilEnded } }) {
        const input = { prompt: 'busy', seconds: 1 };
        const ids = await Promise.all(Array.from({ length: 6 }, () => create(api, 'gradio-text', input)));
        const records = await Promise.all(ids.map((id) => untilEnded(id, 110_000)));
        assert.deepEqual(
          records.map(({ status }) => status),
          ids.map(() => 'COMPLETED'),
        );
      },
    },
    cancels('gradio-text', null),
    survives('gradio-text', false),
    restarts('gradio-text', 'server gradio-text', 20),
  ],
};
