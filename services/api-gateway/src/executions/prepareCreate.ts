import { ApiError, type ErrorDetail } from '@holdfast/domain/errors';
import { findInputFiles, maxInputFileBytes } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { holdFor, isMoney } from '@holdfast/domain/money';
import { estimateCost } from '@holdfast/domain/pricing';
import type { Context } from '../context.ts';
import { requireFiles } from '../files/requireFiles.ts';
import { fieldPath } from '../http/checkJson.ts';
import { invalidInput } from '../http/validate.ts';
import type { CreateBody } from './createBody.ts';
import { findModel } from './findModel.ts';
import { validateInput } from './validateInput.ts';

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
