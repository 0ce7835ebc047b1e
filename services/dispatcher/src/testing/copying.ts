import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Database, openDatabase } from '@holdfast/db/client';
import { newId } from '@holdfast/domain/ids';
import { type ModelDefinition, modelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Success } from '@holdfast/domain/outcome';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { createDiskStore } from '@holdfast/files/disk/diskStore';
import type { ObjectStore } from '@holdfast/files/store';
import { createLogger } from '@holdfast/kit/logger';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A provider's file server: that of the connection `trusted` itself, and a store that `beside` names. And what copies are made with. */
export async function startCopying() {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, poolSize: 4, applicationName: 'test' });
  const store = createDiskStore({
    path: testFolder('copies'),
    urlSecrets: ['a secret of the tests'],
    publicUrl: 'http://localhost',
  });
  await store.prepare();
  const provider = await startFileServer();
  const connections = {
    trusted: connection(provider.url),
    beside: connection('http://127.0.0.1:9', { OUTPUT_ORIGINS: provider.url }),
    other: connection('http://127.0.0.1:9'),
  };
  const context = {
    db,
    store,
    egress: createEgressPolicy({ allowCidrs: [], allowHttp: false }),
    connections,
    log: createLogger('test', 'silent'),
  };
  return {
    context,
    provider,
    newRun: () => newRun(db),
    filesOf: (executionId: string) => filesOf(db, store, executionId),
    async close() {
      await Promise.all([provider.close(), db.close()]);
      await database.drop();
    },
  };
}

function connection(baseUrl: string, settings: Record<string, string> = {}) {
  return { baseUrl, apiKey: null, settings };
}

async function newRun(db: Database) {
  const organizationId = await createTestOrganization(db, '1');
  return { id: newId('exec'), attemptId: newId('att'), organizationId };
}

/** What the database and the store have of an execution's outputs. */
async function filesOf(db: Database, store: ObjectStore, executionId: string) {
  const { rows } = await db.pool.query<{
    id: string;
    key: string;
    contentType: string;
    sizeBytes: number | null;
    durationMs: number | null;
    kept: boolean;
    dropped: boolean;
  }>(
    `SELECT id, object_key AS key, content_type AS "contentType", size_bytes AS "sizeBytes", duration_ms AS "durationMs",
       expires_at IS NULL AS kept, coalesce(expires_at <= now(), false) AS dropped
     FROM files WHERE execution_id = $1 ORDER BY id`,
    [executionId],
  );
  return await Promise.all(rows.map(async (row) => ({ ...row, object: await store.stat(row.key) })));
}

/** Answers each path as it was told to, with the next of several answers each time. */
async function startFileServer() {
  const answers = new Map<string, Answer[]>();
  const asked = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const path = request.url ?? '';
    const times = asked.get(path) ?? 0;
    asked.set(path, times + 1);
    const told = answers.get(path) ?? [];
    const answer = told[Math.min(times, told.length - 1)];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** The URL of a file that is answered so. */
    file(...told: Answer[]): string {
      const path = `/${newId('file')}`;
      answers.set(path, told);
      return url + path;
    },
    timesAsked: (of: string) => asked.get(of.slice(url.length)) ?? 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A model with these outputs, and the route to one of its providers. */
export function modelOf(
  output: Partial<ModelDefinition['output']>,
  connectionName = 'trusted',
): { definition: ModelDefinition; route: ProviderRoute } {
  const provider = (name: string) => ({ adapter: 'cog', connection: name, model: 'm' });
  const definition = modelDefinition.parse({
    slug: 'm',
    providers: [provider('other'), provider('trusted'), provider('beside')],
    input_schema: { type: 'object' },
    price: { per_run: '1' },
    output: { kind: 'images', ...output },
  });
  const route = definition.providers.find(({ connection: name }) => name === connectionName);
  if (!route) throw new Error(`no provider at ${connectionName}`);
  return { definition, route };
}

export function madeBy(kind: string, ...urls: string[]): Success {
  const output = { [kind]: urls.map((url) => ({ url })) };
  return { ok: true, output, usage: { inputTokens: 0, outputTokens: 0 }, measured: {} };
}
