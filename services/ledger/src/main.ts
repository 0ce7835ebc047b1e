import { useCell } from '@holdfast/domain/ids';
import { createLogger, logOutput } from '@holdfast/kit/logger';
import { runService } from '@holdfast/kit/service';
import { readConfig } from './config.ts';
import { startLedger } from './start.ts';

runService(async () => {
  const config = readConfig();
  useCell(config.CELL);
  const log = createLogger('ledger', config.LOG_LEVEL, await logOutput(config.LOG_FORMAT));
  return { service: await startLedger(config, log), log };
});
