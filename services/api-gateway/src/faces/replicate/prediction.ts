import { readInputs } from '@holdfast/db/executions/read';
import type { Execution } from '@holdfast/domain/execution';
import { findInputFiles, replaceInputFiles } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { type ExecutionStatus, isTerminal } from '@holdfast/domain/statuses';
import { nameOf, versionsOf } from './names.ts';
import { linkOf, outputOf, type Reader } from './output.ts';

export type PredictionStatus = 'starting' | 'processing' | 'succeeded' | 'failed' | 'canceled';

/** Clients know no other words. */
const statuses: Record<ExecutionStatus, PredictionStatus> = {
  PENDING: 'starting',
  PROCESSING: 'processing',
  AWAITING_WEBHOOK: 'processing',
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  EXPIRED: 'failed',
  CANCELLED: 'canceled',
};

const predictions = '/v1/replicate/predictions';

/** `isNew`: the response to a create, whose clients take any other status than `starting` for the end. */
export async function predictionOf(
  reader: Reader,
  execution: Execution,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<object> {
  const [prediction] = await predictionsOf(reader, [execution], { isNew, inlines: true });
  return prediction ?? {};
}

/** `inlines`: small files may be `data:` URIs. */
export async function predictionsOf(
  reader: Reader,
  executions: readonly Execution[],
  { isNew = false, inlines = false }: { isNew?: boolean; inlines?: boolean } = {},
): Promise<object[]> {
  const { db, models } = reader.context;
  const [inputs, catalogue] = await Promise.all([
    readInputs(
      db,
      reader.caller.organizationId,
      executions.map(({ id }) => id),
    ),
    models.list(),
  ]);
  return await Promise.all(
    executions.map(async (execution) => {
      const { id, model: slug, erasedAt } = execution;
      const definition = catalogue.find((one) => one.definition.slug === slug)?.definition;
      const { owner, name } = nameOf(definition ?? { slug });
      const status = isNew && !isTerminal(execution.status) ? 'starting' : statuses[execution.status];
      return {
        id,
        model: `${owner}/${name}`,
        version: versionsOf(definition ?? { slug })[0],
        input: inputOf(reader, definition, (erasedAt === null && inputs.get(id)) || {}),
        logs: execution.logs ?? '',
        output: await outputOf(reader, execution, inlines),
        data_removed: erasedAt !== null,
        error: errorOf(execution),
        source: 'api',
        status,
        created_at: execution.createdAt.toISOString(),
        started_at: execution.startedAt?.toISOString() ?? null,
        completed_at: execution.completedAt?.toISOString() ?? null,
        metrics: metricsOf(execution),
        urls: urlsOf(reader, execution),
      };
    }),
  );
}

/** Files are URLs here: a prediction can be repeated with the input that it shows. */
function inputOf(reader: Reader, definition: ModelDefinition | undefined, input: Record<string, unknown>) {
  const files = findInputFiles(definition?.input_schema, input);
  return replaceInputFiles(input, files, (id) => linkOf(reader, id, 'input'));
}

function errorOf({ status, errorMessage }: Execution): string | null {
  if (status === 'EXPIRED') return 'Deadline exceeded';
  return status === 'FAILED' ? (errorMessage ?? 'The prediction failed.') : null;
}

function metricsOf({ createdAt, startedAt, completedAt, inputTokens, outputTokens }: Execution) {
  if (completedAt === null) return {};
  const secondsFrom = (from: Date) => (completedAt.getTime() - from.getTime()) / 1000;
  return {
    total_time: secondsFrom(createdAt),
    ...(startedAt !== null && { predict_time: secondsFrom(startedAt) }),
    ...(inputTokens !== null && { input_token_count: inputTokens }),
    ...(outputTokens !== null && { output_token_count: outputTokens }),
  };
}

const hourMs = 3_600_000;

/** JavaScript's client sends no key to the stream: its URL has a token. */
function urlsOf({ context, caller, publicUrl }: Reader, { id, expiresAt, onCancel }: Execution) {
  const get = `${publicUrl}${predictions}/${id}`;
  const { apiKeyId, token } = caller;
  const expiresAtMs = expiresAt.getTime() + hourMs;
  const stream = () =>
    `${get}/stream?token=${context.tokens.sign({ executionId: id, apiKeyId, expiresAtMs })}`;
  return { get, cancel: `${get}/cancel`, ...(onCancel !== null && token === null && { stream: stream() }) };
}
