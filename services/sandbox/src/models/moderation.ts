import { z } from 'zod';
import { applyControls, controls, type Model } from '../model.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const input = z.strictObject({
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), z.array(part).min(1)]),
  ...controls,
});

/** OpenAI's categories, and words that a text of each has. */
const categories: Record<string, RegExp | null> = {
  harassment: /\b(idiot|loser|stupid)/i,
  'harassment/threatening': /\byou will (pay|regret)/i,
  hate: /\bhat(e|red)\b/i,
  'hate/threatening': null,
  illicit: /\b(counterfeit|drugs|explosive)/i,
  'illicit/violent': /\b(bomb|gun)s?\b/i,
  'self-harm': /\b(self-harm|suicide)/i,
  'self-harm/intent': null,
  'self-harm/instructions': null,
  sexual: /\b(nude|porn)/i,
  'sexual/minors': null,
  violence: /\b(attack|fight|kill|murder|shoot|stab)/i,
  'violence/graphic': /\b(blood|gore)/i,
};

const found = 0.9;
const notFound = 0.01;

/** Finds words, and looks at no images. Several texts have a result each, and the parts of a message have one. */
export const moderation: Model = {
  input,
  streams: false,
  async run(raw, context) {
    const given = raw as z.infer<typeof input>;
    await applyControls(given, context);
    const results = textsIn(given.input).map(resultOf);
    return { output: { results }, metrics: {} };
  },
};

function textsIn(given: z.infer<typeof input>['input']): string[] {
  if (typeof given === 'string') return [given];
  const parts = given.filter((one) => typeof one !== 'string');
  return parts.length === 0 ? given.map(String) : [parts.map(({ text = '' }) => text).join('\n')];
}

function resultOf(text: string) {
  const has = Object.entries(categories).map(([name, words]) => [name, words?.test(text) ?? false] as const);
  return {
    flagged: has.some(([, isFound]) => isFound),
    categories: Object.fromEntries(has),
    category_scores: Object.fromEntries(has.map(([name, isFound]) => [name, isFound ? found : notFound])),
  };
}
