import type { Adapter } from '@holdfast/domain/modelRoute';
import { requirementOf } from '@holdfast/kit/requirement';
import { z } from 'zod';
import { cogOptions } from './cog/options.ts';
import { httpOptions } from './http/options.ts';
import { openaiOptions } from './openai/options.ts';
import { replicateOptions } from './replicate/options.ts';

const schemas: Partial<Record<Adapter, z.ZodType>> = {
  cog: cogOptions,
  openai: openaiOptions,
  http: httpOptions,
  replicate: replicateOptions,
};

export function optionsIssues(
  adapter: Adapter,
  options: Record<string, unknown>,
): readonly z.core.$ZodIssue[] {
  return schemas[adapter]?.safeParse(options, { error: requirementOf }).error?.issues ?? [];
}

/** The JSON Schema of an adapter's options; null when any are allowed. */
export function optionsSchema(adapter: Adapter): object | null {
  const schema = schemas[adapter];
  if (schema === undefined) return null;
  const written = JSON.stringify(z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }));
  const apart = ['$schema', 'definitions', 'allOf'];
  return JSON.parse(written, (key, value: unknown) => (apart.includes(key) ? undefined : value)) as object;
}
