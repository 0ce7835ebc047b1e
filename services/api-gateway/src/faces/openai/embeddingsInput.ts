import { ApiError } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { OpenaiOperation } from '@holdfast/domain/modelOpenai';
import { z } from 'zod';
import { validateInput } from '../../executions/modelInput.ts';
import { inputFor, type Wanted } from './mapping.ts';

export const embeddingsBody = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.unknown().refine(isInput, 'must be a text, a list of texts, or tokens'),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().positive().nullish(),
});

type EmbeddingsBody = z.infer<typeof embeddingsBody>;

const isListOf = (value: unknown, isItem: (item: unknown) => boolean) =>
  Array.isArray(value) && value.length > 0 && value.every(isItem);

const isTokens = (value: unknown) => isListOf(value, (one) => Number.isInteger(one));

const isTokenInput = (value: unknown) => isTokens(value) || isListOf(value, isTokens);

function isInput(value: unknown): boolean {
  return isText(value) || isListOf(value, isText) || isTokenInput(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** In the form that the model takes: as it is, a text as a list of one, or the other way round. @throws ApiError */
export function embeddingsInput(definition: ModelDefinition, body: EmbeddingsBody): Record<string, unknown> {
  const { model: _model, encoding_format: _format, input, dimensions, ...rest } = body;
  const options: Wanted[] = [
    ...Object.entries(rest).map(([field, value]) => ({ field, value })),
    { field: 'dimensions', value: dimensions, isEssential: true },
  ];
  const { taken, first } = formTaken(definition, 'embeddings', formsOf(input), options);
  if (taken !== undefined || !isTokenInput(input)) return taken ?? first;
  const message = 'The model does not take tokens: send texts.';
  throw new ApiError('INPUT_VALIDATION_ERROR', message, {
    details: [{ field: 'input', code: 'unsupported_input', message }],
  });
}

/** The first form of the field `input` that the model takes, if any. @throws ApiError */
export function formTaken(
  definition: ModelDefinition,
  operation: OpenaiOperation,
  forms: readonly unknown[],
  options: readonly Wanted[] = [],
) {
  const [first = {}, ...others] = forms.map((value) =>
    inputFor(definition, operation, [...options, { field: 'input', value, isEssential: true }]),
  );
  const isTaken = (one: Record<string, unknown>) => validateInput(definition, one).details.length === 0;
  return { first, taken: [first, ...others].find(isTaken) };
}

export function formsOf(input: unknown): unknown[] {
  const [only, ...others] = Array.isArray(input) ? input : [];
  const isOne = typeof input === 'string' || isTokens(input);
  if (isOne) return [input, [input]];
  return others.length === 0 ? [input, only] : [input];
}
