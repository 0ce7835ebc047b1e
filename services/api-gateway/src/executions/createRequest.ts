import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { priorities } from '@holdfast/domain/execution';
import { findInputFiles, maxInputFileBytes } from '@holdfast/domain/inputFiles';
import { limits } from '@holdfast/domain/limits';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { holdFor, isMoney } from '@holdfast/domain/money';
import { estimateCost } from '@holdfast/domain/pricing';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { requireFiles } from '../files/readyFiles.ts';
import { jsonObject } from '../http/fields.ts';
import { fieldPath } from '../http/json.ts';
import { invalidInput } from '../http/validate.ts';
import { validateInput } from './modelInput.ts';

/**
 * Checks a request to create an execution, or to estimate one, against its model, the egress policy and the
 * organization's files; `input` is as it is to be run. @throws ApiError INPUT_VALIDATION_ERROR with every problem at once, MODEL_UNAVAILABLE,
 * FILE_NOT_FOUND, FILE_FORMAT_UNSUPPORTED
 */
export async function prepareCreate(
  context: Context,
  organizationId: string,
  body: Pick<CreateBody, 'model' | 'input' | 'webhook_url'>,
) {
  const definition = await findModel(context, body.model);
  const checked = definition && validateInput(definition, body.input);
  const details = [...(checked?.details ?? [unknownModel]), ...webhookProblems(context, body.webhook_url)];
  if (!checked || !definition || details.length > 0) throw invalidInput(details);
  const { input } = checked;
  const files = findInputFiles(definition.input_schema, input).map(({ path, id }) => ({
    field: path.map(String).reduce(fieldPath, 'input'),
    id,
  }));
  const mostBytes = Math.max(...definition.providers.map(maxInputFileBytes));
  await requireFiles(context, organizationId, files, mostBytes);
  return { definition, input, estimatedCost: affordableEstimate(definition, input) };
}

const unknownModel: ErrorDetail = { field: 'model', code: 'NOT_FOUND', message: 'There is no such model.' };

function webhookProblems({ egress }: Context, url: string | undefined): ErrorDetail[] {
  const problem = url === undefined ? null : egress.checkNewUrl(url);
  return problem
    ? [{ field: 'webhook_url', code: problem.code, message: `webhook_url ${problem.message}` }]
    : [];
}

/** An estimate beyond every amount must not reach the database: it would take the whole batch with it. */
function affordableEstimate(definition: ModelDefinition, input: Record<string, unknown>): string {
  const estimate = estimateCost(definition, input);
  if (isMoney(estimate) && isMoney(holdFor(estimate))) return estimate;
  throw new ApiError('INSUFFICIENT_BALANCE', 'The estimated cost exceeds every balance.');
}

/** Spec, "Execution create request body", and the design's `timeout_seconds`. */
export const createBody = z
  .strictObject({
    model: z.string().min(1).max(64).meta({ description: 'Model slug', example: 'sandbox-image' }),
    input: jsonObject('Parameters of the model. Files are `file_` references', { prompt: 'a lighthouse' }),
    webhook_url: z
      .string()
      .max(limits.urlLength)
      .optional()
      .meta({ description: 'Is sent the ending of this execution', example: 'https://example.com/hooks' }),
    metadata: jsonObject('Anything; comes back in the record. At most 16 KiB of JSON', { order: 'A-17' })
      .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= limits.metadataBytes, {
        message: `must not exceed ${limits.metadataBytes} bytes of JSON`,
        params: { code: 'OUT_OF_RANGE' },
      })
      .optional(),
    priority: z.enum(priorities).optional().meta({
      description: 'Which of your executions begin first when some have to wait; `normal` unless given',
      example: 'normal',
    }),
    timeout_seconds: z
      .int()
      .min(limits.minTimeoutS)
      .max(limits.maxTimeoutS)
      .optional()
      .meta({ description: "Seconds until it expires; the model's timeout unless given", example: 300 }),
  })
  .meta({ id: 'CreateExecution' });

/** What an estimate is made from. */
export const estimateBody = createBody.pick({ model: true, input: true }).meta({ id: 'EstimateExecution' });

export type CreateBody = z.infer<typeof createBody>;

/**
 * The model to be run; null when it is not on offer. @throws ApiError MODEL_UNAVAILABLE for one that is, but of whose
 * providers none is configured
 */
export async function findModel({ models }: Context, slug: string): Promise<ModelDefinition | null> {
  const model = await models.get(slug);
  if (model?.isActive) return model.definition;
  if (model?.definition.active) {
    throw new ApiError('MODEL_UNAVAILABLE', 'The model is not available at present.');
  }
  return null;
}
