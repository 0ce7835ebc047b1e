/** The servers of one test run: how global setup tells the test files, which Jest runs in processes of their own. */
export type TestServers = {
  /** A migrated database which nobody connects to: the template of every test's own. */
  templateUrl: string;
  /** Removed, with what runs on data in it, at the end of the run. */
  folder: string;
  /** Without a database number. */
  redisUrl: string;
};

const variable = 'HOLDFAST_TEST_SERVERS';

/** Tells every process that Jest starts from here on where the servers are. */
export function publishTestServers(servers: TestServers): void {
  process.env[variable] = JSON.stringify(servers);
}

/** Throws when Jest was started with a configuration that does not start the servers. */
export function readTestServers(): TestServers {
  const json = process.env[variable];
  if (!json)
    throw new Error('The test servers are not running: run Jest with the jest.config.mjs of the root.');
  return JSON.parse(json) as TestServers;
}

/** The number of the Jest worker we are in, from 1. */
export function workerNumber(): number {
  return Number(process.env['JEST_WORKER_ID'] ?? 1);
}
