import { useCell } from '@holdfast/domain/ids';
import { createLogger, logOutput } from '@holdfast/kit/logger';
import { runService } from '@holdfast/kit/service';
import { readConfig, readConnectionProblems } from './config.ts';
import { startDispatcher } from './start.ts';

runService(async () => {
  const config = readConfig();
  useCell(config.CELL);
  const log = createLogger('dispatcher', config.LOG_LEVEL, await logOutput(config.LOG_FORMAT));
  for (const problem of readConnectionProblems()) log.error(problem);
  return { service: await startDispatcher(config, log), log };
});
