import { startHealthServer } from '@holdfast/kit/health';
import { classesOf, closeServer, http, listenAt } from '@holdfast/kit/http';
import { createLogger, logOutput } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { runService } from '@holdfast/kit/service';
import { readConfig } from './config.ts';
import { createSandbox } from './server.ts';

runService(async () => {
  const config = readConfig();
  const log = createLogger('sandbox', config.LOG_LEVEL, await logOutput(config.LOG_FORMAT));
  const app = createSandbox({
    maxRunning: config.SANDBOX_MAX_RUNS,
    onLostWebhook: () => log.warn('a webhook was not accepted'),
  });
  const server = http.createServer(classesOf(app), app);
  const port = await listenAt(server, { host: config.LISTEN_HOST, port: config.PORT });
  const health = await startHealthServer({
    at: { host: config.LISTEN_HOST, port: config.METRICS_PORT },
    registry: createRegistry('sandbox'),
    live: {},
    ready: {},
  });
  log.info({ port, metricsPort: health.port }, 'listening');
  const stop = async () => {
    // Cuts off running executions, which may take ten minutes, like a stopping container.
    await Promise.all([closeServer(server), health.close()]);
  };
  return { service: { stop }, log };
});
