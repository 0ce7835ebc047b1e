import { createLogger, logOutput } from '@holdfast/kit/logger';
import { runService } from '@holdfast/kit/service';
import { readConfig } from './config.ts';
import { startWebhookSender } from './start.ts';

runService(async () => {
  const config = readConfig();
  const log = createLogger('webhook-sender', config.LOG_LEVEL, await logOutput(config.LOG_FORMAT));
  return { service: await startWebhookSender(config, log), log };
});
