import {
  type FieldTarget,
  type OpenaiMapping,
  type OpenaiOperation,
  openaiOperations,
  rulesOf,
  targetOf,
} from '@holdfast/domain/modelOpenai';
import { pointerSteps } from '@holdfast/domain/pointer';
import type { ModelParts } from './modelParts.ts';
import type { ModelProblem } from './problems.ts';

type Given = [OpenaiOperation, OpenaiMapping];

function givenIn({ openai = {} }: ModelParts): Given[] {
  const all = Object.keys(openaiOperations) as OpenaiOperation[];
  return all.flatMap((operation) => {
    const mapping = openai[operation];
    return mapping ? [[operation, mapping] satisfies Given] : [];
  });
}

type Place = { path: PropertyKey[]; name: string };

/** The input properties that the operations of a model refer to. */
export function openaiInputs(parts: ModelParts): Place[] {
  return givenIn(parts).flatMap(([operation, { set = {} }]) => [
    ...targetsIn(parts, operation).flatMap(({ path, target }) => placesOf(target, path)),
    ...Object.keys(set).map((name) => ({ path: ['openai', operation, 'set', name], name })),
  ]);
}

function targetsIn(parts: ModelParts, operation: OpenaiOperation) {
  return Object.keys(rulesOf(operation).fields).flatMap((field) => {
    const target = targetOf(parts, operation, field);
    return target === undefined ? [] : [{ path: ['openai', operation, field], target }];
  });
}

function placesOf(target: FieldTarget, path: PropertyKey[]): Place[] {
  if (typeof target === 'string') return [{ path, name: firstOf(target) }];
  return Object.entries(target).flatMap(([key, place]) =>
    typeof place === 'string' ? [{ path: [...path, key], name: firstOf(place) }] : [],
  );
}

const firstOf = (place: string) => (place.startsWith('/') ? (pointerSteps(place)[0] ?? '') : place);

/** What an operation of a model cannot read, or would send and have refused. */
export function openaiProblems(parts: ModelParts): ModelProblem[] {
  const { kind } = parts.output ?? {};
  return givenIn(parts).flatMap(([operation]) => {
    const { kinds } = rulesOf(operation);
    const message = `is for the output ${kinds.join(' or ')}, which is ${kind} here`;
    const misfit =
      kind === undefined || kinds.includes(kind) ? [] : [{ path: ['openai', operation], message }];
    return [...misfit, ...targetsIn(parts, operation).flatMap((one) => choiceProblems(parts, one))];
  });
}

function choiceProblems(
  { input_schema: schema }: ModelParts,
  { path, target }: { path: PropertyKey[]; target: FieldTarget },
): ModelProblem[] {
  if (typeof target === 'string' || 'width' in target) return [];
  const place = 'ratio' in target ? target.ratio : target.input;
  const properties = (schema?.['properties'] ?? {}) as Record<string, { enum?: unknown } | undefined>;
  const choices = Object.hasOwn(properties, place) ? properties[place]?.enum : undefined;
  if ('ratio' in target) {
    const hasRatios = Array.isArray(choices) && choices.some((one) => /^\d+:\d+$/.test(String(one)));
    const message = `must have an \`enum\` with ratios such as "16:9"`;
    return hasRatios ? [] : [{ path: [...path, 'ratio'], message: `"${place}" ${message}` }];
  }
  if (!Array.isArray(choices)) return [];
  return Object.entries(target.values)
    .filter(([, value]) => !choices.includes(value))
    .map(([name, value]) => ({
      path: [...path, 'values', name],
      message: `${JSON.stringify(value)} is not one of the values of "${place}"`,
    }));
}
