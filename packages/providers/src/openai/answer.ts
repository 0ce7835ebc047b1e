import type { OutcomeMapping } from '@holdfast/domain/modelDefinition';
import type { Outcome } from '@holdfast/domain/outcome';
import { z } from 'zod';
import { failure } from '../outcome/failure.ts';
import { outcomeFromAnswer, type UsualPlaces } from '../outcome/success.ts';
import type { Endpoint } from './request.ts';

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

const tokens = {
  inputTokens: ['/usage/prompt_tokens', '/usage/input_tokens'],
  outputTokens: ['/usage/completion_tokens', '/usage/output_tokens'],
  cost: ['/usage/cost'],
  seconds: [],
};

const usual = {
  chat: { output: '/choices/0/message/content', ...tokens },
  images: { output: '/data', ...tokens },
} as const satisfies Record<Endpoint, UsualPlaces>;

/** The outcome of a 2xx answer, whose JSON is `answer` (undefined: it had none). */
export function readAnswer(
  answer: unknown,
  endpoint: Endpoint,
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
