import type { ProviderRoute } from '@holdfast/domain/modelDefinition';

/** What this provider is sent of an input: without what it omits, with its names, and with what clients do not choose. */
export function routeInput(
  { input: changes }: Pick<ProviderRoute, 'input'>,
  input: Record<string, unknown>,
): Record<string, unknown> {
  if (changes === undefined) return input;
  const { rename, set, omit } = changes;
  const kept = Object.entries(input).filter(([name]) => !omit.includes(name));
  const renamed = kept.map(([name, value]) => [Object.hasOwn(rename, name) ? rename[name] : name, value]);
  return { ...Object.fromEntries(renamed), ...set };
}
