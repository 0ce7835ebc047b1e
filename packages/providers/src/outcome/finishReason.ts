import type { Success } from '@holdfast/domain/outcome';

/** OpenAI's names by those of other servers. */
const names: Readonly<Record<string, string>> = {
  stop: 'stop',
  end_turn: 'stop',
  eos_token: 'stop',
  eos: 'stop',
  stop_sequence: 'stop',
  complete: 'stop',
  completed: 'stop',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
};

/** Nothing for a reason without a name of ours. */
export function finishReason(found: unknown): Pick<Success, 'finishReason'> {
  const name = typeof found === 'string' ? found.toLowerCase() : '';
  const known = Object.hasOwn(names, name) ? names[name] : undefined;
  return known === undefined ? {} : { finishReason: known };
}
