import { expect, it } from '@jest/globals';
import { isTooLong } from './tooLong.ts';

it.each([
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  ],
  ['OpenAI', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['vLLM', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.'],
  ['SGLang', "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
  ['SGLang', "Requested token count exceeds the model's maximum context length of 4096 tokens."],
  ['llama.cpp', 'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it'],
  ['llama.cpp', 'input (1234 tokens) is too large to process. increase the physical batch size'],
  ['Ollama', 'the input length exceeds the context length'],
  ['Ollama', 'input length exceeds maximum context length'],
  ['LiteLLM', 'litellm.ContextWindowExceededError: BadRequestError: GroqException - {}'],
  ['TGI', 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3000'],
  ['TEI', 'Input validation error: `inputs` must have less than 512 tokens. Given: 700'],
  ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum'],
  ['Gemini', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
])('recognizes a prompt that is too long for %s: %s', (_server, text) => {
  expect(isTooLong({ text })).toBe(true);
});

it.each([
  'Request too large for model in organization org on tokens per minute (TPM): Limit 6000, Requested 7000',
  'You exceeded your current quota, please check your plan and billing details.',
  "Invalid 'temperature': decimal above maximum value.",
  'The prompt is too vague.',
  'The context was lost.',
])('does not take another refusal for one: %s', (text) => {
  expect(isTooLong({ text })).toBe(false);
});
