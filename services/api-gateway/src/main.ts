import { useCell } from '@holdfast/domain/ids';
import { createLogger, logOutput } from '@holdfast/kit/logger';
import { runService } from '@holdfast/kit/service';
import { readConfig } from './context/config.ts';
import { startGateway } from './start.ts';

runService(async () => {
  const config = readConfig();
  useCell(config.CELL);
  const log = createLogger('api-gateway', config.LOG_LEVEL, await logOutput(config.LOG_FORMAT));
  return { service: await startGateway({ config, log }), log };
});
