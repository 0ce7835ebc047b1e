import { completes, fails, restarts } from '../httpCases.ts';
import type { Suite } from '../suite.ts';

export const mlserver: Suite = {
  requirements: ['mlserver==1.7.1'],
  connections: (url) => ({ MLSERVER_BASE_URL: url }),
  command: (port) => ({
    program: 'mlserver',
    args: ['start', '.'],
    folder: import.meta.dirname,
    env: {
      MLSERVER_HOST: '127.0.0.1',
      MLSERVER_HTTP_PORT: String(port),
      MLSERVER_GRPC_PORT: '0',
      MLSERVER_METRICS_ENDPOINT: '',
      MLSERVER_PARALLEL_WORKERS: '0',
    },
  }),
  ready: { path: '/v2/models/txt/ready' },
  cases: [
    completes('mlserver-v2', 'hello a dog'),
    fails('mlserver-v2', { prompt: 'break down' }, 'GENERATION_FAILED'),
    fails('mlserver-unknown', { prompt: 'a dog' }, 'MODEL_UNAVAILABLE'),
    restarts('mlserver-v2', 'take long'),
  ],
};
