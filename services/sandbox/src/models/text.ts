import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { controls, delay, failIfAsked, type Model, type RunContext } from '../model.ts';

const defaultTokensPerS = 50;

const input = z.strictObject({
  prompt: z.string().min(1),
  cost: z.union([z.string().regex(/^\d{1,9}(\.\d{1,8})?$/), z.number().min(0)]).optional(),
  tokens: z.int().min(1).max(100_000).optional(),
  tokens_per_s: z.number().min(0.1).max(10_000).optional(),
  fail_after_tokens: z.int().min(0).max(100_000).default(0),
  ...controls,
});

/** The same prompt gives the same text. A token is a word. */
export const text: Model = {
  input,
  streams: true,
  async run(raw, context) {
    const given = raw as z.infer<typeof input>;
    await delay(given, context);
    if (given.fail_after_tokens === 0) failIfAsked(given);
    const words = wordsAbout(given.prompt, given.tokens);
    const written = given.fail === undefined ? words : words.slice(0, given.fail_after_tokens);
    await write(written, given.tokens_per_s, context);
    failIfAsked(given);
    return {
      metrics: {
        input_token_count: Math.max(1, Math.ceil(given.prompt.length / 4)),
        output_token_count: words.length,
        ...(given.cost === undefined ? {} : { cost: given.cost }),
      },
    };
  },
};

/** Text that no client reads as it comes is written at once, if the input gives no speed. */
async function write(words: string[], tokensPerS: number | undefined, context: RunContext): Promise<void> {
  const { signal, emit, isStreamed } = context;
  const pauseMs = isStreamed || tokensPerS !== undefined ? 1000 / (tokensPerS ?? defaultTokensPerS) : 0;
  const startedMs = performance.now();
  for (const [index, word] of words.entries()) {
    const waitMs = startedMs + index * pauseMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    emit(word);
  }
}

/** Repeats the words of the answer until there are `count`; by default it returns them once. */
function wordsAbout(prompt: string, count: number | undefined): string[] {
  const words = answerTo(prompt).split(/(?<= )/);
  if (count === undefined) return words;
  const word = (index: number) => words[index % words.length] ?? '';
  return Array.from({ length: count }, (_, index) =>
    index > 0 && index % words.length === 0 ? `\n${word(index)}` : word(index),
  );
}

function answerTo(prompt: string): string {
  const words = prompt.split(/\s+/).filter((word) => word !== '');
  const counted = words.length === 1 ? 'one word' : `${words.length} words`;
  const start = prompt.length > 200 ? `${prompt.slice(0, 200).toWellFormed()}…` : prompt;
  return `You wrote ${counted}: "${start}". This is the sandbox's answer to it.`;
}
