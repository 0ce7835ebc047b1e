import { insertOutput, keepOutputs, markOutputReady } from '@holdfast/db/files';
import { applyModels } from '@holdfast/db/models';
import { newId } from '@holdfast/domain/ids';
import { type ModelFile, modelDefinition } from '@holdfast/domain/modelDefinition';
import { until } from '@holdfast/testkit/until';
import { gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

type TestModel = Pick<ModelFile, 'slug' | 'input_schema' | 'output'> &
  Partial<Pick<ModelFile, 'description' | 'aliases' | 'stream' | 'on_cancel' | 'openai'>>;

/** What every run of the models produces; files by their names. */
export type TestOutput = (
  files: (name: string, bytes: Buffer, contentType: string) => Promise<string>,
) => Promise<object>;

/** A gateway with a face and these models, whose runs end as a test says. */
export async function faceGateway(
  face: string,
  models: readonly TestModel[],
  settings: Record<string, string> = {},
) {
  const gateway = await gatewayOfTests({ COMPATIBLE_APIS: face, ...settings });
  const { db, store } = gateway.context;
  const { key, organizationId } = await organizationWithKey(gateway, { balance: '100' });
  const provider = { adapter: 'cog', connection: 'sandbox', model: 'm' };
  await applyModels(
    db,
    models.map((one) => modelDefinition.parse({ ...one, provider, price: { per_run: '0.01' } })),
  );

  const count = () => db.prisma.execution.count({ where: { organizationId } });

  async function storeOutput(executionId: string, filename: string, bytes: Buffer, contentType: string) {
    const id = newId('file');
    await insertOutput(db, { id, key: id, organizationId, executionId, filename, contentType });
    await store.put(id, bytes, { contentType });
    await markOutputReady(db, id, { sizeBytes: bytes.length, width: null, height: null });
    await keepOutputs(db, [id]);
    return id;
  }

  return {
    gateway,
    key,
    organizationId,
    count,
    post: (path: string) => gateway.client(key).post(`/v1/${face}${path}`),
    /** Sends a request, ends the execution that it creates, and returns both. */
    async run<Response>(sent: PromiseLike<Response>, outputOf: TestOutput, more: object = {}) {
      const before = await count();
      const response = sent.then((one) => one);
      await until('an execution is created', async () => (await count()) > before);
      const { id } = await db.prisma.execution.findFirstOrThrow({ orderBy: { id: 'desc' } });
      const output = await outputOf((...file) => storeOutput(id, ...file));
      const ended = { status: 'COMPLETED', cost: '0.01', completedAt: new Date() } as const;
      const execution = await db.prisma.execution.update({
        where: { id },
        data: { ...ended, output, ...more },
      });
      // The ledger does so, too.
      gateway.context.hints.publishChanges([id], 'COMPLETED');
      return { response: await response, execution };
    },
  };
}
