import { chargeFor } from '@holdfast/domain/charge';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { formatMoney } from '@holdfast/domain/money';
import type { Outcome, Success } from '@holdfast/domain/outcome';
import type { PricedInput } from '@holdfast/domain/quantities';
import { table } from '../../output/print.ts';
import { replaceStrings } from './input.ts';
import { type RunEnd } from './run.ts';

/** The result of a run, a line each. */
export function reportLines(
  definition: ModelDefinition,
  priced: PricedInput,
  end: RunEnd,
  tookMs: number,
): string[] {
  const took = ['took', `${(tookMs / 1000).toFixed(1)} s`];
  if (end.state === 'stopped') {
    const why = end.reason === 'timeout' ? 'timed out' : 'interrupted';
    const there = end.wasCancelled ? 'cancelled at the provider' : "it can't be cancelled at the provider";
    return table([['outcome', `${why}; ${there}`], took]);
  }
  const alert = 'alert' in end && end.alert !== undefined ? [['operator', end.alert]] : [];
  return [...outcomeLines(definition, priced, end), ...table([...alert, took])];
}

const states = {
  ended: '',
  refused: ', refused: the run was not accepted',
  unknown: ', and it is unknown whether the run was accepted',
} as const;

function outcomeLines(
  definition: ModelDefinition,
  priced: PricedInput,
  end: Exclude<RunEnd, { state: 'stopped' }>,
): string[] {
  const outcome: Outcome = end.outcome;
  if (outcome.ok) return successLines(definition, priced, outcome);
  return table([
    ['outcome', `${outcome.code}${states[end.state]}`],
    ['message', outcome.message],
    ['raw', outcome.raw ?? 'none'],
  ]);
}

function successLines(definition: ModelDefinition, priced: PricedInput, outcome: Success): string[] {
  const { usage, measured } = outcome;
  const { cost, usage: tokens, billed, missing } = chargeFor(definition, priced, outcome);
  return [
    ...table([
      ['outcome', 'success'],
      ['usage', `${usage.inputTokens} input tokens, ${usage.outputTokens} output tokens`],
      [
        'measured',
        Object.entries(measured)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ') || 'nothing',
      ],
      ['cost', `${formatMoney(cost)}; a test is not charged`],
      [
        'billed',
        JSON.stringify({ input_tokens: tokens.inputTokens, output_tokens: tokens.outputTokens, ...billed }),
      ],
      ...(missing.length > 0 ? [['warning', missingText(definition, missing)]] : []),
    ]),
    'output',
    JSON.stringify(replaceStrings(outcome.output, shortened), null, 2),
  ];
}

/** A test copies no output, so it does not measure files that a real run would. */
function missingText({ missing_usage: policy }: ModelDefinition, missing: readonly string[]): string {
  const charged = policy === 'free' ? 'not charged' : 'charged as estimated';
  return `the provider did not report ${missing.join(', ')}: ${charged}, unless they can be measured in the output files`;
}

/** Shortens inline files. */
function shortened(text: string): string {
  const [, head] = /^(data:[^,]{0,100},)/.exec(text) ?? [];
  return head === undefined || text.length < 200
    ? text
    : `${text.slice(0, head.length + 24)}… (${text.length} characters)`;
}
