import { hash } from 'node:crypto';
import type { Execution } from '@holdfast/domain/execution';
import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { createWithFiles, fileLimits, type RequestFiles } from '../requestFiles.ts';
import { createFrom, whenCompleted } from '../run.ts';
import { formsOf, formTaken } from './embeddingsInput.ts';
import { mapped } from './mapping.ts';
import { withFiles } from './messages.ts';
import { requireNamed } from './models.ts';
import { noOutput } from './output.ts';

const text = z.string().min(1);
const part = z.looseObject({ type: z.enum(['text', 'image_url']) });

const moderationBody = z.looseObject({
  // As OpenAI's own: an alias that operators give to the model of their choice.
  model: z.string().min(1).max(200).default('omni-moderation-latest'),
  input: z.union([text, z.array(text).min(1).max(2048), z.array(part).min(1).max(2048)], {
    error: 'must be a text, a list of texts, or a list of parts with text and image_url',
  }),
});

type ModerationBody = z.infer<typeof moderationBody>;

export const postModeration = endpoint({
  method: 'POST',
  path: '/v1/openai/moderations',
  operationId: 'createOpenaiModeration',
  tag: 'OpenAI',
  summary: 'Moderate texts and images',
  scope: 'executions:write',
  limit: 'create',
  body: moderationBody,
  maxJsonBytes: fileLimits.maxJsonBytes,
  responses: { 200: { description: 'What was found', schema: null } },
  async handle({ body, ...call }) {
    const { model } = body;
    const { definition } = await requireNamed(call.context, call.caller, model, 'moderations');
    const created = await createWithFiles(call, (files) => {
      let input: Promise<Record<string, unknown>> | null = null;
      const read = () => (input ??= inputOf(definition, body, files));
      return createFrom(call, 'POST /v1/openai/moderations', body, async () => ({
        model: definition.slug,
        input: await read(),
      }));
    });
    return whenCompleted(call, created, async (execution) => {
      const results = resultsIn((await mapped(call.context, execution, 'moderations')).output);
      if (results === null) throw noOutput(execution);
      return { id: moderationId(execution), model, results };
    });
  },
});

/** Stores the images of several parts as files of the organization. @throws ApiError */
async function inputOf(
  definition: ModelDefinition,
  { input }: ModerationBody,
  files: RequestFiles,
): Promise<Record<string, unknown>> {
  const parts = Array.isArray(input) ? input.filter((one) => typeof one !== 'string') : [];
  const [message] = await withFiles([{ role: 'user', content: parts }], files, 'input');
  const forms = parts.length === 0 ? formsOf(input) : [message?.content];
  const { taken, first } = formTaken(definition, 'moderations', forms);
  return taken ?? first;
}

const moderationId = ({ id }: Execution) => `modr-${hash('sha256', id).slice(0, 24)}`;

/** One result, or a list of them, wherever models put it; null: there is none. */
function resultsIn(output: unknown): object[] | null {
  if (Array.isArray(output)) {
    const results = output.filter(isResult).map(completed);
    return results.length > 0 && results.length === output.length ? results : null;
  }
  if (!isObject(output)) return null;
  return isResult(output) ? [completed(output)] : resultsIn(output['results'] ?? output['output'] ?? null);
}

const isResult = (value: unknown): value is object =>
  isObject(value) && typeof value['flagged'] === 'boolean';

const completed = (result: object) => ({ categories: {}, category_scores: {}, ...result });
