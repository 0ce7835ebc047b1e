import { number } from '../../strings/locale.ts';
import { text } from '../../strings/shared.ts';

const names: Readonly<Record<string, string>> = text.execution.units;
const named = (unit: string) => names[unit] ?? unit.replaceAll('_', ' ');

type Usage = {
  input_tokens: number;
  output_tokens: number;
  units?: Readonly<Record<string, number>>;
  estimated?: readonly string[];
  usage_estimated?: boolean;
} & Readonly<Record<string, unknown>>;

/** `4 seconds (estimated), 28 steps`: what a run was charged for, beside tokens that are 0. */
export function billedText({ units = {}, estimated = [], ...quantities }: Usage): string {
  const areTokensCounted = quantities.usage_estimated === true;
  const { input_tokens: tokensIn, output_tokens: tokensOut, ...others } = quantities;
  const tokens = {
    ...(tokensIn > 0 && { input_tokens: tokensIn }),
    ...(tokensOut > 0 && { output_tokens: tokensOut }),
  };
  return Object.entries({ ...tokens, ...others, ...units })
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .map(([name, quantity]) => {
      const isEstimated = estimated.includes(name) || (areTokensCounted && name.endsWith('_tokens'));
      return `${number(quantity)} ${named(name)}${isEstimated ? ` (${text.execution.asEstimated})` : ''}`;
    })
    .join(', ');
}
