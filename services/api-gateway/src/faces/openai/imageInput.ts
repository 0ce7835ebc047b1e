import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { z } from 'zod';
import { inputFor, type Wanted } from './modelInput.ts';

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

/** As DALL·E named what later models name otherwise. */
const qualities: Record<string, string> = { standard: 'medium', hd: 'high' };

/** @throws ApiError for what the model cannot do */
export function imageInput(definition: ModelDefinition, fields: ImageFields): Record<string, unknown> {
  const {
    model: _model,
    stream: _stream,
    response_format: _form,
    partial_images: partial,
    ...given
  } = fields;
  const { n, size, output_format: format, ...rest } = given;
  return inputFor(definition, [
    {
      names: ['n', 'count', 'num_images', 'num_outputs', 'number_of_images'],
      value: n === 1 ? undefined : n,
      isEssential: true,
    },
    ...sized(definition, size),
    { names: ['output_format', 'format'], value: format },
    { names: ['partial_images'], value: showsPartialImages(definition, fields) ? partial : undefined },
    ...Object.entries(rest).map(([name, value]) => ({
      names: [name],
      value: meant(definition, name, value),
    })),
  ]);
}

/** `auto` is a model's default, whether it names it or not. */
function meant(definition: ModelDefinition, name: string, value: unknown): unknown {
  const choices = choicesOf(definition, name);
  if (choices?.includes(value)) return value;
  if (value === 'auto') return undefined;
  return choices && name === 'quality' ? (qualities[String(value)] ?? value) : value;
}

/** As one size, as width and height, or as a ratio that the model offers. */
function sized(definition: ModelDefinition, size: string | null | undefined): Wanted[] {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size ?? '') ?? [];
  const ratio = width === undefined ? undefined : ratioOf(Number(width), Number(height));
  return [
    { names: ['size'], value: meant(definition, 'size', size) },
    { names: ['width'], value: width && Number(width) },
    { names: ['height'], value: height && Number(height) },
    {
      names: ['aspect_ratio'],
      value: choicesOf(definition, 'aspect_ratio')?.includes(ratio) ? ratio : undefined,
    },
  ];
}

function ratioOf(width: number, height: number): string {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = divisor(width, height) || 1;
  return `${width / common}:${height / common}`;
}

/** The values that a property may have; undefined: it may have others. */
function choicesOf({ input_schema: { properties } }: ModelDefinition, name: string): unknown[] | undefined {
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(property) && Array.isArray(property['enum']) ? property['enum'] : undefined;
}
