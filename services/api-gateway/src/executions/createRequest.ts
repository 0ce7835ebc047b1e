import type { CatalogueModel } from '@holdfast/db/models';
import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { findInputFiles, maxInputFileBytes } from '@holdfast/domain/inputFiles';
import { limits } from '@holdfast/domain/limits';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { holdFor, isMoney } from '@holdfast/domain/money';
import { nearestName } from '@holdfast/domain/nearest';
import { estimateCost } from '@holdfast/domain/pricing';
import type { PricedInput } from '@holdfast/domain/quantities';
import { z } from 'zod';
import type { Caller } from '../access/identity.ts';
import { mayUseModel } from '../access/models.ts';
import type { Context } from '../context/context.ts';
import { requireFiles } from '../files/readyFiles.ts';
import { jsonObject } from '../http/fields.ts';
import { fieldPath, invalidInput } from '../http/validate.ts';
import { validateInput } from './modelInput.ts';
import { Metadata, Priority } from './records.ts';

/**
 * Checks a request to create or estimate an execution against its model, the egress policy and the organization's files.
 * `isTestRun`: by an operator, also of a disabled model.
 * The returned `input` is what the provider gets; `priced` decides the price. @throws ApiError INPUT_VALIDATION_ERROR with all problems,
 * MODEL_UNAVAILABLE, FILE_NOT_FOUND, FILE_FORMAT_UNSUPPORTED
 */
export async function prepareCreate(
  context: Context,
  caller: Pick<Caller, 'organizationId' | 'models' | 'isTest'>,
  body: Pick<CreateBody, 'model' | 'input' | 'webhook_url' | 'stream'>,
  { isBatch = false, isTestRun = false }: { isBatch?: boolean; isTestRun?: boolean } = {},
) {
  const model = await findModel(context, body.model, isTestRun);
  const checked = model && validateInput(model.definition, body.input);
  const modelProblems = checked?.details ?? [await unknownModel(context, caller, body.model)];
  const details = [
    ...modelProblems,
    ...streamProblems(model, body.stream),
    ...webhookProblems(context, body.webhook_url),
  ];
  if (!checked || !model || details.length > 0) throw invalidInput(details);
  const { input } = checked;
  const { definition, version } = model;
  const references = findInputFiles(definition.input_schema, input).map(({ path, id }) => ({
    field: path.map(String).reduce(fieldPath, 'input'),
    id,
  }));
  const maxBytes = Math.max(...definition.providers.map(maxInputFileBytes));
  const files = await requireFiles(context, caller.organizationId, references, maxBytes);
  const priced = { input, files };
  return {
    definition,
    version,
    input,
    priced,
    estimatedCost: affordableEstimate(definition, priced, isBatch),
  };
}

/** Names the model that was meant, among the caller's. */
export async function unknownModel(
  { models }: Context,
  caller: Pick<Caller, 'models' | 'isTest'>,
  slug: string,
): Promise<ErrorDetail> {
  const usable = (await models.list()).filter(
    ({ isActive, definition }) => isActive && mayUseModel(caller, definition),
  );
  const meant = nearestName(
    slug,
    usable.map(({ definition }) => definition.slug),
  );
  const hint = meant === null ? '' : ` Did you mean ${meant}?`;
  return {
    field: 'model',
    code: 'NOT_FOUND',
    message: `There is no such model.${hint} GET /v1/models lists them.`,
  };
}

function streamProblems(model: CatalogueModel | null, stream = false): ErrorDetail[] {
  if (!stream || !model || model.definition.stream !== undefined) return [];
  const message =
    'stream cannot be true: the model does not stream its output. GET /v1/models says which do.';
  return [{ field: 'stream', code: 'UNSUPPORTED', message }];
}

export function webhookProblems({ egress }: Context, url: string | undefined): ErrorDetail[] {
  const problem = url === undefined ? null : egress.checkNewUrl(url);
  return problem
    ? [{ field: 'webhook_url', code: problem.code, message: `webhook_url ${problem.message}.` }]
    : [];
}

/** An amount that is out of range would fail the whole batch of inserts. */
function affordableEstimate(definition: ModelDefinition, priced: PricedInput, isBatch: boolean): string {
  const estimate = estimateCost(definition, priced, isBatch);
  if (isMoney(estimate) && isMoney(holdFor(estimate))) return estimate;
  throw new ApiError('INSUFFICIENT_BALANCE', 'The estimated cost exceeds any possible balance.');
}

export const ModelInput = jsonObject('Parameters of the model. Files are given as `file_` references', {
  prompt: 'a lighthouse',
}).meta({ id: 'ModelInput' });

/** The body of a create: contract 2.1. */
export const createBody = z
  .strictObject({
    model: z.string().min(1).max(64).meta({ description: 'Model slug', example: 'sandbox-image' }),
    input: ModelInput,
    webhook_url: z.string().max(limits.urlLength).optional().meta({
      description: 'Receives the final event of this execution',
      example: 'https://example.com/hooks',
    }),
    metadata: Metadata.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= limits.metadataBytes, {
      message: `must not exceed ${limits.metadataBytes} bytes of JSON`,
      params: { code: 'OUT_OF_RANGE' },
    })
      .optional()
      .describe('Your own data, returned in the record. At most 16 KiB of JSON'),
    priority: Priority.optional().meta({
      description: 'Which of your pending executions start first; default `normal`',
      example: 'normal',
    }),
    timeout_seconds: z.int().min(limits.minTimeoutS).max(limits.maxTimeoutS).optional().meta({
      description: "Seconds until the execution expires; default: the model's timeout",
      example: 300,
    }),
    stream: z.boolean().optional().meta({
      description:
        'Shows the output while it is made (`urls.stream`). Only for models that stream; see `on_cancel` of the model for what a cancel then costs',
      example: false,
    }),
  })
  .meta({ id: 'CreateExecution' });

export const estimateBody = createBody.pick({ model: true, input: true }).meta({ id: 'EstimateExecution' });

export type CreateBody = z.infer<typeof createBody>;

/**
 * An active model, or null; for a test run, also a disabled one, which another process may just have added.
 * @throws ApiError MODEL_UNAVAILABLE when none of its providers is configured
 */
export async function findModel(
  { models }: Context,
  slug: string,
  isTestRun = false,
): Promise<CatalogueModel | null> {
  const model = isTestRun ? await models.find(slug) : await models.get(slug);
  if (model?.isActive || (isTestRun && model?.definition.active === false)) return model;
  if (model?.definition.active) {
    throw new ApiError(
      'MODEL_UNAVAILABLE',
      'The model is not available at the moment. GET /v1/models lists those that are.',
    );
  }
  return null;
}
