import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { namesOf, type OpenaiOperation, operationsOf, rulesOf, targetOf } from '@holdfast/domain/modelOpenai';
import { atPointer, pointerSteps } from '@holdfast/domain/pointer';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { findExecution } from '../../executions/readable.ts';
import { choicesOf, filePropertiesOf, propertiesOf, ratiosOf, sidesOf, takesAny } from './properties.ts';

/** Before a run that would be of no use. @throws ApiError that says what the model serves */
export function requireOperation(definition: ModelDefinition, operation: OpenaiOperation): void {
  if (operationsOf(definition).includes(operation)) return;
  const [route] = rulesOf(operation).routes;
  const routes = routesOf(definition).join(', ');
  const message = `The model \`${definition.slug}\` does not serve ${route}. It serves ${routes || 'no endpoint of this API'}.`;
  throw refused('model', message, 'model_not_supported');
}

const ofFiles = ['images/edits', 'images/variations', 'audio/transcriptions', 'audio/translations'];

/** The paths that a model serves. */
export function routesOf(definition: ModelDefinition): string[] {
  const routes = operationsOf(definition).flatMap((one) => rulesOf(one).routes);
  const takesFiles = takesAny(definition) || filePropertiesOf(definition).length > 0;
  return takesFiles ? routes : routes.filter((route) => !ofFiles.includes(route));
}

/** A field of a request. `isEssential`: leaving it out would change what the client gets. */
export type Wanted = { field: string; value: unknown; isEssential?: boolean };

/** The client's fields become a model's input as its file says, or else by the names in its schema. They replace those of a `former` input. @throws ApiError for an essential one that the model does not take */
export function inputFor(
  definition: ModelDefinition,
  operation: OpenaiOperation,
  wanted: readonly Wanted[],
  former: Record<string, unknown> = {},
): Record<string, unknown> {
  const input = structuredClone(former);
  for (const { field, value, isEssential } of wanted) {
    if (value === undefined || value === null) continue;
    const placed = placesOf(definition, operation, field, value);
    if (placed === null && isEssential) throw refused(field, `The model does not support \`${field}\`.`);
    for (const [place, one] of placed ?? []) if (one !== undefined) setAt(input, place, one);
  }
  for (const [name, value] of Object.entries(definition.openai?.[operation]?.set ?? {}))
    input[name] = structuredClone(value);
  return input;
}

type Placed = [place: string, value: unknown][];

/** Null: the model does not take the field. */
function placesOf(
  definition: ModelDefinition,
  operation: OpenaiOperation,
  field: string,
  value: unknown,
): Placed | null {
  const target = targetOf(definition, operation, field);
  if (target === undefined) {
    const name = nameOf(definition, operation, field);
    const sized = field === 'size' ? sizesOf(definition, value) : [];
    const named: Placed = name === null ? [] : [[name, suited(definition, name, field, value)]];
    return named.length + sized.length === 0 ? null : [...named, ...sized];
  }
  if (typeof target === 'string') return [[target, value]];
  if ('input' in target) return [[target.input, chosen(definition, target, field, value)]];
  const sides = sidesOf(value);
  if (sides === null) return sidesMissing(field, value);
  if ('width' in target)
    return [
      [target.width, sides.width],
      [target.height, sides.height],
    ];
  return [[target.ratio, nearestRatio(definition, target.ratio, sides)]];
}

/** The property that a field goes to by its name; null: the schema has none. */
export function nameOf(
  definition: ModelDefinition,
  operation: OpenaiOperation,
  field: string,
): string | null {
  const target = targetOf(definition, operation, field);
  if (target !== undefined) return typeof target === 'string' ? target : null;
  const properties = propertiesOf(definition);
  return (
    namesOf(operation, field).find((name) => Object.hasOwn(properties, name)) ??
    (takesAny(definition) ? field : null)
  );
}

/** @throws ApiError for a value that the model does not have; `auto` is its default */
function chosen(
  definition: ModelDefinition,
  { input, values }: { input: string; values: Record<string, unknown> },
  field: string,
  value: unknown,
): unknown {
  const name = String(value);
  const choices = choicesOf(definition, input) ?? [];
  if (Object.hasOwn(values, name)) return values[name];
  if (choices.includes(value)) return value;
  if (name === 'auto') return undefined;
  const known = [...Object.keys(values), ...choices].join(', ');
  throw refused(field, `The model takes these values of \`${field}\`: ${known}.`);
}

function sidesMissing(field: string, value: unknown): Placed {
  if (value === 'auto') return [];
  throw refused(field, `\`${field}\` must be a width and a height, such as 1024x1024.`);
}

/** As DALL·E named what later models name otherwise. */
const qualities: Record<string, string> = { standard: 'medium', hd: 'high' };

/** `auto` is a model's default, whether it names it or not. */
function suited(definition: ModelDefinition, name: string, field: string, value: unknown): unknown {
  const choices = choicesOf(definition, name);
  if (choices?.includes(value)) return value;
  if (value === 'auto') return undefined;
  return choices && field === 'quality' ? (qualities[String(value)] ?? value) : value;
}

/** As width and height, or as a ratio, where the schema has such properties. */
function sizesOf(definition: ModelDefinition, value: unknown): Placed {
  const sides = sidesOf(value);
  const properties = propertiesOf(definition);
  if (sides === null) return [];
  const both = ['width', 'height'] as const;
  const placed = both
    .filter((side) => side in properties)
    .map((side): [string, number] => [side, sides[side]]);
  if (placed.length > 0 || ratiosOf(definition, 'aspect_ratio').length === 0) return placed;
  return [['aspect_ratio', nearestRatio(definition, 'aspect_ratio', sides)]];
}

/** By the factor between the two; undefined: the property has no ratios. */
function nearestRatio(
  definition: ModelDefinition,
  name: string,
  { width, height }: { width: number; height: number },
): string | undefined {
  const distance = (ratio: number) => Math.abs(Math.log(ratio / (width / height)));
  const sorted = ratiosOf(definition, name).toSorted((a, b) => distance(a.ratio) - distance(b.ratio));
  return sorted[0]?.text;
}

/** What stands where `setAt` puts it. */
export function atPlace(input: Record<string, unknown>, place: string): unknown {
  return place.startsWith('/') ? atPointer(input, place) : input[place];
}

/** A name, or a pointer to a property inside another one, which is made. */
export function setAt(input: Record<string, unknown>, place: string, value: unknown): void {
  const steps = place.startsWith('/') ? pointerSteps(place) : [place];
  const last = steps.pop() ?? '';
  const holder = steps.reduce<Record<string, unknown>>((at, step) => {
    const below = Object.hasOwn(at, step) && isObject(at[step]) ? at[step] : {};
    at[step] = below;
    return below;
  }, input);
  Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true });
}

/** @throws ApiError NOT_FOUND */
export async function findMapped(
  context: Context,
  caller: Caller,
  id: string,
  operation: OpenaiOperation,
): Promise<Execution> {
  return await mapped(context, await findExecution(context, caller, id), operation);
}

/** An execution whose output is as the file of its model says that the operation has it. */
export async function mapped<Of extends Pick<Execution, 'model' | 'output'>>(
  context: Pick<Context, 'models'>,
  execution: Of,
  operation: OpenaiOperation,
): Promise<Of> {
  const model = await context.models.get(execution.model);
  const at = model?.definition.openai?.[operation]?.output;
  const { output } = execution;
  if (at === undefined || output === null) return execution;
  const read = typeof at === 'string' ? wholeOf(atPointer(output, at)) : fieldsOf(output, at);
  return { ...execution, output: read };
}

function wholeOf(value: unknown): Record<string, unknown> {
  return typeof value === 'string' ? { text: value } : { output: value };
}

function fieldsOf(output: unknown, places: Record<string, string>): Record<string, unknown> {
  const found = Object.entries(places).map(([name, place]) => [name, atPointer(output, place)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

export function refused(field: string, message: string, code = 'unsupported_parameter'): ApiError {
  return new ApiError('INPUT_VALIDATION_ERROR', message, { details: [{ field, code, message }] });
}
