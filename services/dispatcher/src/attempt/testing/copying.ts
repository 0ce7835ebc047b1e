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
import type { Connection } from '@holdfast/providers/connection';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A provider's file server (of the connection `trusted`; `beside` names it as its store), and what copies are made with. */
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
  const connections: Record<string, Connection> = {
    trusted: connection(provider.url),
    beside: connection('http://127.0.0.1:9', { OUTPUT_ORIGINS: provider.url }),
    other: connection('http://127.0.0.1:9'),
  };
  return {
    files: { db, store, egress: createEgressPolicy({ allowCidrs: [], allowHttp: false }) },
    log: createLogger('test', 'silent'),
    provider,
    /** The route to a connection of a model with these outputs. */
    routeOf: (output: Partial<ModelDefinition['output']>, name = 'trusted') => ({
      ...modelOf(output, name),
      connection: connections[name] as Connection,
    }),
    newRun: () => newRun(db),
    filesOf: (executionId: string) => filesOf(db, store, executionId),
    async close() {
      await Promise.all([provider.close(), db.close()]);
      await database.drop();
    },
  };
}

function connection(baseUrl: string, settings: Record<string, string> = {}): Connection {
  return { baseUrl, apiKey: null, settings };
}

async function newRun(db: Database) {
  const organizationId = await createTestOrganization(db, '1');
  return { executionId: newId('exec'), attemptId: newId('att'), organizationId };
}

/** The files of an execution's outputs, in the database and the store. */
async function filesOf(db: Database, store: ObjectStore, executionId: string) {
  const { rows } = await db.pool.query<{
    id: string;
    key: string;
    filename: string;
    contentType: string;
    sizeBytes: number | null;
    durationMs: number | null;
    kept: boolean;
    dropped: boolean;
  }>(
    `SELECT id, object_key AS key, filename, content_type AS "contentType", size_bytes AS "sizeBytes", duration_ms AS "durationMs",
       expires_at IS NULL AS kept, coalesce(expires_at <= now(), false) AS dropped
     FROM files WHERE execution_id = $1 ORDER BY id`,
    [executionId],
  );
  return await Promise.all(rows.map(async (row) => ({ ...row, object: await store.stat(row.key) })));
}

/** Gives each path its responses, one after the other, and then the last one. */
async function startFileServer() {
  const responses = new Map<string, Respond[]>();
  const requests = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const path = request.url ?? '';
    const count = requests.get(path) ?? 0;
    requests.set(path, count + 1);
    const all = responses.get(path) ?? [];
    const respond = all[Math.min(count, all.length - 1)];
    if (respond) respond(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** The URL of a file with these responses. */
    file(...all: Respond[]): string {
      const path = `/${newId('file')}`;
      responses.set(path, all);
      return url + path;
    },
    requestsFor: (fileUrl: string) => requests.get(fileUrl.slice(url.length)) ?? 0,
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

export function madeOutput(kind: string, ...urls: string[]): Success {
  const output = { [kind]: urls.map((url) => ({ url })) };
  return { ok: true, output, usage: { inputTokens: 0, outputTokens: 0 }, measured: {} };
}
