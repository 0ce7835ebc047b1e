import { readInputs } from '@holdfast/db/executions/read';
import type { Execution } from '@holdfast/domain/execution';
import { findInputFiles, replaceInputFiles } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { predictionRecord } from '@holdfast/domain/replicatePrediction';
import { nameOf, versionsOf } from './names.ts';
import { linkOf, type Reader, shownOf } from './output.ts';

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
      const { id, model: slug } = execution;
      const definition = catalogue.find((one) => one.definition.slug === slug)?.definition;
      const { owner, name } = nameOf(definition ?? { slug });
      const { output, logs } = await shownOf(reader, execution, inlines);
      return predictionRecord(
        { ...execution, logs },
        {
          model: `${owner}/${name}`,
          version: versionsOf(definition ?? { slug })[0],
          input: inputOf(reader, definition, inputs.get(id) ?? {}),
          output,
          urls: urlsOf(reader, execution),
          isNew,
        },
      );
    }),
  );
}

/** Files are URLs here: a prediction can be repeated with the input that it shows. */
function inputOf(reader: Reader, definition: ModelDefinition | undefined, input: Record<string, unknown>) {
  const files = findInputFiles(definition?.input_schema, input);
  return replaceInputFiles(input, files, (id) => linkOf(reader, id, 'input'));
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
