import type { Adapter } from '@holdfast/domain/modelRoute';
import type { z } from 'zod';
import { cogOptions } from './cog/options.ts';
import { httpOptions } from './http/options.ts';
import { openaiOptions } from './openai/options.ts';
import { replicateOptions } from './replicate/options.ts';

/** What each adapter takes as `provider.options`. */
const schemas: Partial<Record<Adapter, z.ZodType>> = {
  cog: cogOptions,
  openai: openaiOptions,
  http: httpOptions,
  replicate: replicateOptions,
};

/** What is wrong with the options of a model's provider, each with its place below `options`. */
export function optionsProblems(
  adapter: Adapter,
  options: Record<string, unknown>,
): { path: PropertyKey[]; message: string }[] {
  const issues = schemas[adapter]?.safeParse(options).error?.issues ?? [];
  return issues.map(({ path, message }) => ({ path, message }));
}
