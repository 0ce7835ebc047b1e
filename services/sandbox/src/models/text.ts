import { z } from 'zod';
import type { Model } from '../model.ts';
import { applyControls, controls } from '../model.ts';

const input = z.strictObject({
  prompt: z.string().min(1),
  cost: z.union([z.string().regex(/^\d{1,9}(\.\d{1,8})?$/), z.number().min(0)]).optional(),
  ...controls,
});

/** The same prompt gives the same text. */
export const text: Model = {
  input,
  async run(raw, context) {
    const given = raw as z.infer<typeof input>;
    await applyControls(given, context);
    const output = textAbout(given.prompt);
    return {
      output,
      metrics: {
        input_token_count: tokens(given.prompt),
        output_token_count: tokens(output),
        ...(given.cost === undefined ? {} : { cost: given.cost }),
      },
    };
  },
};

function textAbout(prompt: string): string {
  const words = prompt.split(/\s+/).filter((word) => word !== '');
  const counted = words.length === 1 ? 'one word' : `${words.length} words`;
  const start = prompt.length > 200 ? `${prompt.slice(0, 200).toWellFormed()}…` : prompt;
  return `You wrote ${counted}: "${start}". This is the sandbox's answer to it.`;
}

function tokens(of: string): number {
  return Math.max(1, Math.ceil(of.length / 4));
}
