import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Outcome } from '@holdfast/domain/outcome';
import { z } from 'zod';
import { failure } from '../outcome/failure.ts';
import { withRaw } from '../outcome/raw.ts';
import type { Secrets } from '../outcome/scrub.ts';
import { outcomeFromAnswer, type UsualPlaces } from '../outcome/success.ts';
import type { Endpoint } from './options.ts';

const chat = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({ refusal: z.string().nullish() }).nullish(),
      }),
    )
    .min(1),
});

export const tokens = {
  inputTokens: ['/usage/prompt_tokens', '/usage/input_tokens'],
  outputTokens: ['/usage/completion_tokens', '/usage/output_tokens'],
  cost: ['/usage/cost'],
  seconds: [],
};

const usual = {
  chat: { output: '/choices/0/message/content', ...tokens },
  images: { output: '/data', ...tokens },
  image_edits: { output: '/data', ...tokens },
  // Of the sound, which is what is paid for; `duration` is in a verbose answer.
  transcriptions: { output: '/text', ...tokens, seconds: ['/usage/seconds', '/duration'] },
} as const satisfies Record<Exclude<Endpoint, 'responses'>, UsualPlaces>;

/** The outcome of a 2xx answer to a call that answers at once. `answer` is undefined when it was no JSON. */
export function readAnswer(
  { json: answer, bodyText }: { json: unknown; bodyText: string },
  endpoint: Exclude<Endpoint, 'responses'>,
  mapping: OutcomeMapping,
  elapsedS: number,
  secrets: Secrets,
): Outcome {
  const outcome = outcomeOf(answer, endpoint, mapping, elapsedS);
  return outcome.ok ? outcome : withRaw(outcome, bodyText, secrets);
}

function outcomeOf(
  answer: unknown,
  endpoint: Exclude<Endpoint, 'responses'>,
  mapping: OutcomeMapping,
  elapsedS: number,
): Outcome {
  if (answer === undefined)
    return failure('GENERATION_FAILED', 'The model gave an answer that could not be read.');
  if (endpoint === 'chat') {
    const choice = chat.safeParse(answer).data?.choices[0];
    if (choice === undefined) return failure('GENERATION_FAILED', 'The model gave no usable output.');
    if (choice.finish_reason === 'content_filter' || choice.message?.refusal) {
      return failure('CONTENT_MODERATION_REJECTED');
    }
  }
  return outcomeFromAnswer(answer, mapping, usual[endpoint], elapsedS);
}
