import {
  type ModelSource,
  modelSources,
  readModel,
  type StoredModel,
  saveConsoleModel,
} from '@holdfast/db/models';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { type CheckModelResult, checkModelResult } from '@holdfast/queues/definitions';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { jsonObject, notFound, timestamp } from '../http/fields.ts';
import { invalidInput, maxDetails } from '../http/validate.ts';

export const modelParams = z.object({ slug: z.string().meta({ example: 'sandbox-text' }) });

const maxYamlLength = 65_536;

export const yamlField = z
  .string()
  .min(1)
  .max(maxYamlLength)
  .meta({ description: 'The definition, as a file in MODELS_DIR has it', example: 'slug: acme-text\n…' });

export const modelVersion = z.guid().meta({
  description: 'Of the definition, derived from its content',
  example: '5d41402a-bc4b-2a76-b971-9d911017c592',
});

export const sourceField = z
  .enum(modelSources)
  .describe(
    'Who decides about it: a file in MODELS_DIR, or the console, whose models `holdfast models apply` leaves as they are',
  );

export const StoredModelRecord = z
  .object({
    slug: z.string().meta({ example: 'sandbox-text' }),
    is_active: z.boolean().describe('Whether it is offered'),
    source: sourceField,
    version: modelVersion,
    updated_at: timestamp('When it was last changed'),
    yaml: yamlField,
    definition: jsonObject('The YAML with defaults filled in', { slug: 'sandbox-text' }),
  })
  .meta({ id: 'StoredModel' });

export function storedModelRecord({
  slug,
  isActive,
  source,
  version,
  updatedAt,
  yaml,
  definition,
}: StoredModel): z.infer<typeof StoredModelRecord> {
  return {
    slug,
    is_active: isActive,
    source,
    version,
    updated_at: updatedAt.toISOString(),
    yaml,
    definition,
  };
}

/** @throws NOT_FOUND */
export async function requireStoredModel({ db }: Context, slug: string): Promise<StoredModel> {
  const model = await readModel(db, slug);
  if (!model) throw notFound('model');
  return model;
}

const checkTimeoutMs = 10_000;

type Asked = { yaml: string; active: boolean | null };

/** Has a dispatcher check a text, because it alone knows adapters and connections. Changes nothing. @throws SERVICE_UNAVAILABLE */
export async function checkModel({ modelChecks, log }: Context, asked: Asked): Promise<CheckModelResult> {
  try {
    const result = await modelChecks.request({ requestId: newId('req'), ...asked }, checkTimeoutMs);
    return checkModelResult.parse(result);
  } catch (error) {
    log.warn({ err: error }, 'no dispatcher responded to the check of a model');
    const message = 'No dispatcher checked the model in time, and nothing was changed. Try again shortly.';
    throw new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '2' } });
  }
}

/**
 * Keeps a text in the database as the model of the console. `version`: of the definition that it replaces; null: none.
 * @throws INPUT_VALIDATION_ERROR, MODEL_CHANGED, SERVICE_UNAVAILABLE
 */
export async function applyText(
  context: Context,
  slug: string,
  { version, ...asked }: Asked & { version: string | null },
): Promise<StoredModel> {
  const { definition, yaml, isOffered, problems, slug: own } = await checkModel(context, asked);
  if (definition === null) throw invalidYaml(problems);
  if (own !== slug)
    throw invalidYaml([{ line: null, message: `slug: must be ${slug}, which it is applied as` }]);
  const model = { slug, definition, yaml, isActive: isOffered, version };
  if (!(await saveConsoleModel(context.db, model))) throw changed(slug, await readModel(context.db, slug));
  context.models.forget();
  return await requireStoredModel(context, slug);
}

function invalidYaml(problems: CheckModelResult['problems']): ApiError {
  return invalidInput(
    problems.slice(0, maxDetails).map(({ line, message }) => ({
      field: 'yaml',
      code: 'INVALID',
      message: `${line === null ? '' : `Line ${line}: `}${message}.`,
    })),
  );
}

const changers: Readonly<Record<ModelSource, string>> = {
  file: 'holdfast models apply',
  console: 'the console',
};

function changed(slug: string, current: StoredModel | null): ApiError {
  const by = current ? ` by ${changers[current.source]} at ${current.updatedAt.toISOString()}` : '';
  return new ApiError(
    'MODEL_CHANGED',
    `The model ${slug} was changed${by}, so nothing was applied. Read it again, and make your change in its current version.`,
  );
}
