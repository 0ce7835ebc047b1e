import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import { inputFor } from './mapping.ts';

/** Forms have texts for numbers and flags. */
export const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

export const imageFields = z.looseObject({
  model: z.string().min(1).max(200),
  prompt: z.string().nullish(),
  n: z.coerce.number().int().min(1).max(100).nullish(),
  size: z.string().max(100).nullish(),
  response_format: z.enum(['b64_json', 'url']).nullish(),
  stream: flag.nullish(),
  partial_images: z.coerce.number().int().min(0).max(3).nullish(),
});

export type ImageFields = z.infer<typeof imageFields>;

/** Whether partial images are wanted, and the model can show them. */
export function showsPartialImages(
  { stream: kind }: ModelDefinition,
  { stream, partial_images: wanted }: ImageFields,
): boolean {
  return stream === true && (wanted ?? 0) > 0 && kind === 'image';
}

/** @throws ApiError for what the model cannot do */
export function imageInput(definition: ModelDefinition, fields: ImageFields): Record<string, unknown> {
  const {
    model: _model,
    stream: _stream,
    response_format: _form,
    partial_images: partial,
    ...given
  } = fields;
  const wanted = Object.entries(given).map(([field, value]) =>
    field === 'n' ? { field, value: value === 1 ? undefined : value, isEssential: true } : { field, value },
  );
  const shown = showsPartialImages(definition, fields) ? partial : undefined;
  return inputFor(definition, 'images', [...wanted, { field: 'partial_images', value: shown }]);
}
