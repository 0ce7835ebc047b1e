import { baseConfig, parseConfig, port, positiveInt } from '@holdfast/kit/config';

export const sandboxConfig = {
  PORT: port().default(8090).describe('Port of the model server; 0 chooses a free one'),
  LISTEN_HOST: baseConfig.LISTEN_HOST,
  METRICS_PORT: baseConfig.METRICS_PORT,
  LOG_LEVEL: baseConfig.LOG_LEVEL,
  LOG_FORMAT: baseConfig.LOG_FORMAT,
  SANDBOX_MAX_RUNS: positiveInt()
    .default(20_000)
    .describe('Maximum number of runs in progress at once; further ones get 409'),
};

export function readConfig() {
  return parseConfig(sandboxConfig, process.env);
}
