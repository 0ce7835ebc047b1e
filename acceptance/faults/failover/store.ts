import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createS3Store } from '@holdfast/files/s3/s3Store';
import { servicePort } from '@holdfast/local/launch/ports';
import { startServer } from '@holdfast/local/process/server';
import type { ApiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { readExecution } from '../../stack/executions.ts';
import { MissingError } from './packages.ts';
import type { Target } from './target.ts';

const outageMs = 10_000;
/** The first start installs the server. */
const startWithinMs = 600_000;

const script = resolve(import.meta.dirname, '../../../.ci/s3-server');

/** One S3 server that dies or hangs for ten seconds and comes back. @throws MissingError without root */
export async function startStoreTarget(folder: string, say: (line: string) => void): Promise<Target> {
  if (process.getuid?.() !== 0)
    throw new MissingError('This needs root, for the S3 server of .ci/s3-server.');
  const { S3_ROOT: root = join(folder, 's3') } = process.env;
  const port = await servicePort();
  const [accessKey, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const endpoint = `http://127.0.0.1:${port}`;
  const variables = [`S3_ROOT=${root}`, `S3_PORT=${port}`, `S3_ACCESS_KEY=${accessKey}`];

  const start = async () => {
    const child = await startServer({
      name: 'the S3 server',
      command: '/usr/bin/env',
      args: [...variables, `S3_SECRET_KEY=${secretKey}`, script],
      ready: (pid) => pid > 0,
      timeoutMs: 5000,
    });
    return { pid: child.pid, gone: once(child, 'exit') };
  };
  const responds = async () => {
    await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
    return true;
  };
  const untilResponds = () =>
    until('the S3 server responds', () => responds().catch(() => false), startWithinMs);

  say('starting the S3 server');
  let server = await start();
  // The script and its children.
  const signal = (name: NodeJS.Signals) => void process.kill(-server.pid, name);
  const close = async () => {
    signal('SIGKILL');
    await server.gone;
  };
  try {
    await untilResponds();
    const settings = { endpoint, bucket: 'files', accessKey, secretKey };
    await createS3Store({ ...settings, region: 'us-east-1', publicEndpoint: endpoint }).prepare();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    settings: {
      FILE_STORE: 's3',
      S3_ENDPOINT: endpoint,
      S3_BUCKET: 'files',
      S3_ACCESS_KEY: accessKey,
      S3_SECRET_KEY: secretKey,
    },
    faults: ['killed', 'paused'],
    work: { model: 'sandbox-image', input: { width: 64, height: 64 } },
    isSafe: true,
    prepare: async () => async (fault) => {
      if (fault === 'killed') await close();
      else signal('SIGSTOP');
      await delay(outageMs);
      if (fault === 'killed') server = await start();
      else signal('SIGCONT');
      return { heal: untilResponds };
    },
    problems: ({ api, load }) => missingOutputs(api, [...load.accepted.keys()]),
    notes: () => [],
    close,
  };
}

/** Downloads what customers were charged for. */
async function missingOutputs(api: ApiClient, ids: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const id of ids) {
    const { status, result } = await readExecution(api, id);
    if (status !== 'COMPLETED') continue;
    const [image] = (result?.['images'] ?? []) as { file_id: string }[];
    const response = image && (await api.fetch(`/v1/files/${image.file_id}/download`));
    const bytes = response?.ok ? Buffer.from(await response.arrayBuffer()) : Buffer.alloc(0);
    if (bytes.toString('latin1', 1, 4) !== 'PNG')
      problems.push(`${id} was charged without its output: ${response?.status ?? 'no image'}`);
  }
  return problems;
}
