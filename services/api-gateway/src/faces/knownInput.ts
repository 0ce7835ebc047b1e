import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';

/** What the model knows of an input, by its own names or those of its providers. The rest is left out, as elsewhere. */
export function knownInput(
  { input_schema: schema, providers }: ModelDefinition,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const { properties, additionalProperties } = schema;
  if (additionalProperties !== false || !isObject(properties)) return input;
  const renamed = providers.flatMap((provider) =>
    Object.entries(provider.input?.rename ?? {}).map(([ours, theirs]) => [theirs, ours] as const),
  );
  const ownName = new Map(renamed.filter(([theirs]) => !Object.hasOwn(properties, theirs)));
  const named = Object.entries(input).map(([name, value]) => [ownName.get(name) ?? name, value] as const);
  return Object.fromEntries(named.filter(([name]) => Object.hasOwn(properties, name)));
}
