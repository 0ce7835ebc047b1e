import { type ModelDefinition, modelDefinition } from '@holdfast/domain/modelDefinition';
import { type ProviderRoute, provider } from '@holdfast/domain/modelRoute';
import type { z } from 'zod';

/** The valid fields of a model's file; an invalid provider is null in the list. */
export type ModelParts = Partial<Omit<ModelDefinition, 'providers'>> & {
  providers: (ProviderRoute | null)[];
};

type Dict = Record<string, unknown>;

const { shape } = modelDefinition.in;
const routeFields = { provider: true, providers: true };

/** The valid parts of an invalid model, so that rules across fields can still be checked. */
export function validParts(value: unknown, issues: readonly z.core.$ZodIssue[]): ModelParts {
  if (!isDict(value)) return { providers: [] };
  const rest = structuredClone(value);
  for (const issue of issues) removeInvalid(rest, issue);
  const { provider: only, providers: several, ...fields } = rest;
  const routes: unknown[] = only === undefined ? (Array.isArray(several) ? several : []) : [only];
  const isLeftOut = (name: string) => Object.hasOwn(value, name) && !Object.hasOwn(rest, name);
  const right = Object.entries(shape).flatMap(([name, field]) => {
    const parsed = name in routeFields || isLeftOut(name) ? null : field.safeParse(fields[name]);
    return parsed?.success && parsed.data !== undefined ? [[name, parsed.data]] : [];
  });
  return {
    ...(Object.fromEntries(right) as Partial<ModelDefinition>),
    providers: routes.map((route) => provider.safeParse(route).data ?? null),
  };
}

function removeInvalid(root: Dict, issue: z.core.$ZodIssue): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) remove(root, [...issue.path, key]);
  } else remove(root, issue.path);
}

function remove(root: Dict, path: readonly PropertyKey[]): void {
  const last = path.at(-1);
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => (isDict(at) ? at[String(step)] : undefined), root);
  if (last !== undefined && isDict(holder)) delete holder[String(last)];
}

/** Lists too: a removed item stays empty. */
function isDict(value: unknown): value is Dict {
  return value !== null && typeof value === 'object';
}
