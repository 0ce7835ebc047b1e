import { z } from 'zod';

export const cogOptions = z.strictObject({
  path: z
    .string()
    .optional()
    .describe("In place of the model's name in the URL; `''`: the base URL is one container."),
});

export function pathOf({ model, options }: { model: string; options: Record<string, unknown> }): string {
  const name = typeof options['path'] === 'string' ? options['path'] : model;
  return name
    .split('/')
    .filter((step) => step !== '')
    .map((step) => `/${encodeURIComponent(step)}`)
    .join('');
}
