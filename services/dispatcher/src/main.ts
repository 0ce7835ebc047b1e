import { createLogger } from '@holdfast/kit/logger';
import { runService } from '@holdfast/kit/run';
import { readConfig } from './config.ts';
import { startDispatcher } from './start.ts';

runService(async () => {
  const config = readConfig();
  const log = createLogger('dispatcher', config.LOG_LEVEL);
  return { service: await startDispatcher(config, log), log };
});
