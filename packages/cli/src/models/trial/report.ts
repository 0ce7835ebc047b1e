import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { formatMoney } from '@holdfast/domain/money';
import type { Outcome, Success } from '@holdfast/domain/outcome';
import { actualCost } from '@holdfast/domain/pricing';
import { table } from '../../output/print.ts';
import { replaceStrings } from './input.ts';
import { type RunEnd } from './run.ts';

/** The result of a run, a line each. */
export function reportLines(definition: ModelDefinition, end: RunEnd, tookMs: number): string[] {
  const took = ['took', `${(tookMs / 1000).toFixed(1)} s`];
  if (end.state === 'stopped') {
    const why = end.reason === 'timeout' ? 'timed out' : 'interrupted';
    const there = end.wasCancelled ? 'cancelled at the provider' : "it can't be cancelled at the provider";
    return table([['outcome', `${why}; ${there}`], took]);
  }
  const alert = 'alert' in end && end.alert !== undefined ? [['operator', end.alert]] : [];
  return [...outcomeLines(definition, end), ...table([...alert, took])];
}

const states = {
  ended: '',
  refused: ', refused: the run was not accepted',
  unknown: ', and it is unknown whether the run was accepted',
} as const;

function outcomeLines(definition: ModelDefinition, end: Exclude<RunEnd, { state: 'stopped' }>): string[] {
  const outcome: Outcome = end.outcome;
  if (outcome.ok) return successLines(definition, outcome);
  return table([
    ['outcome', `${outcome.code}${states[end.state]}`],
    ['message', outcome.message],
    ['raw', outcome.raw ?? 'none'],
  ]);
}

function successLines(definition: ModelDefinition, outcome: Success): string[] {
  const { usage, measured } = outcome;
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
      ['cost', `${formatMoney(actualCost(definition, outcome))}; a test is not charged`],
    ]),
    'output',
    JSON.stringify(replaceStrings(outcome.output, shortened), null, 2),
  ];
}

/** Shortens inline files. */
function shortened(text: string): string {
  const [, head] = /^(data:[^,]{0,100},)/.exec(text) ?? [];
  return head === undefined || text.length < 200
    ? text
    : `${text.slice(0, head.length + 24)}… (${text.length} characters)`;
}
