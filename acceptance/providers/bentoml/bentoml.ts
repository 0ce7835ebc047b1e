import assert from 'node:assert/strict';
import { create } from '../../stack/executions.ts';
import { cancels, completes, draws, fails, insides, requests, restarts, survives } from '../httpCases.ts';
import type { Suite } from '../suite.ts';

export const bentoml: Suite = {
  requirements: ['bentoml==1.4.39', 'pillow==12.3.0'],
  connections: (url) => ({ BENTOML_BASE_URL: url }),
  command: (port) => ({
    program: 'bentoml',
    args: ['serve', 'service:Acceptance', '--host', '127.0.0.1', '--port', String(port)],
    folder: import.meta.dirname,
    env: { BENTOML_DO_NOT_TRACK: 'true' },
  }),
  ready: { path: '/readyz' },
  cases: [
    completes('bentoml-text', 'hello a dog'),
    draws('bentoml-task'),
    fails('bentoml-text', { prompt: 'a dog', fail: 'input' }, 'INPUT_VALIDATION_ERROR'),
    {
      title: 'bentoml-text: asks about a failed task no more, once that has failed',
      async run(bench) {
        const since = bench.server.log().length;
        const { api, untilEnded } = bench.holdfast;
        const { error } = await untilEnded(
          await create(api, 'bentoml-text', { prompt: 'a dog', fail: 'boom' }),
        );
        assert.equal(error?.code, 'GENERATION_FAILED');
        assert.doesNotMatch(error?.message ?? '', insides);
        assert.ok(requests(bench, '/say/status', since) <= 5, 'it was asked about again and again');
      },
    },
    cancels('bentoml-text', '/say/cancel'),
    survives('bentoml-text', true),
    restarts('bentoml-text', 'server bentoml-text', 20),
  ],
};
