export type TestServers = {
  /** A migrated database without connections, from which tests' databases are copied. */
  templateUrl: string;
  /** Removed at the end of the run, with the servers on its data. */
  folder: string;
  redisUrl: string;
};

const variable = 'HOLDFAST_TEST_SERVERS';

export function publishTestServers(servers: TestServers): void {
  process.env[variable] = JSON.stringify(servers);
}

/** @throws when Jest runs without the root configuration */
export function readTestServers(): TestServers {
  const json = process.env[variable];
  if (!json)
    throw new Error('The test servers are not running: run Jest with the jest.config.mjs of the root.');
  return JSON.parse(json) as TestServers;
}

export function workerNumber(): number {
  return Number(process.env['JEST_WORKER_ID'] ?? 1);
}
