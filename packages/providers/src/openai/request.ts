import type { Submission } from '../interface.ts';

export type Endpoint = 'chat' | 'images';

const paths = { chat: '/chat/completions', images: '/images/generations' } as const satisfies Record<
  Endpoint,
  string
>;

/** Which of the two calls a model makes: `provider.options.endpoint`, default `chat`. */
export function endpointOf(options: Submission['options']): Endpoint {
  return options.endpoint === 'images' ? 'images' : 'chat';
}

/**
 * The call for a run. `provider.options.body` gives fields of the request that clients don't choose; the input
 * gives the rest as it is. For chat, `prompt` (and `system`) become messages, unless `messages` are given.
 */
export function requestOf({ input, options, providerModel: model }: Submission): {
  path: string;
  json: object;
} {
  const endpoint = endpointOf(options);
  const fixed = isObject(options.body) ? options.body : {};
  const fields = endpoint === 'chat' ? chatFields(input) : input;
  return {
    path: paths[endpoint],
    json: { ...fields, ...fixed, model, ...(endpoint === 'chat' ? { stream: false } : {}) },
  };
}

function chatFields({ prompt, system, messages, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (messages !== undefined) return { ...rest, messages };
  const spoken = [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ];
  return { ...rest, messages: spoken.filter(({ content }) => content !== undefined) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
