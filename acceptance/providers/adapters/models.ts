import type { ModelFile } from '@holdfast/domain/modelDefinition';

type Route = NonNullable<ModelFile['provider']>;

const prompt = { type: 'string', minLength: 1, maxLength: 1000 };

const base = {
  input_schema: { type: 'object', additionalProperties: false, required: ['prompt'], properties: { prompt } },
  price: { per_run: '0.04' },
} as const satisfies Partial<ModelFile>;

/** A model that draws images at these providers, in this order. */
export function painter(slug: string, providers: Route[], more: Partial<ModelFile> = {}): ModelFile {
  return { ...base, slug, providers, output: { kind: 'images' }, ...more };
}

/** A model that writes text at these providers. */
export function writer(slug: string, providers: Route[], more: Partial<ModelFile> = {}): ModelFile {
  return { ...base, slug, providers, output: { kind: 'text' }, ...more };
}

/** Where the fake providers return files. */
export const at = {
  replicate: (mode: Route['mode'] = 'callback'): Route => ({
    adapter: 'replicate',
    connection: 'replicate',
    model: 'acme/painter',
    mode,
  }),
  fal: (mode: Route['mode'] = 'callback'): Route => ({
    adapter: 'fal',
    connection: 'fal',
    model: 'acme/painter',
    mode,
  }),
  /** Two Cog containers. */
  first: (mode: Route['mode'] = 'sync'): Route => ({
    adapter: 'cog',
    connection: 'first',
    model: 'acme-writer',
    mode,
  }),
  second: (mode: Route['mode'] = 'sync'): Route => ({
    adapter: 'cog',
    connection: 'second',
    model: 'acme-writer',
    mode,
  }),
};
