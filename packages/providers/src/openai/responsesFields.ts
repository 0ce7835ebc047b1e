/**
 * A run's input as `POST /responses` takes it: `prompt` is its `input`, `system` its `instructions`, `max_tokens` its
 * `max_output_tokens`; chat `messages` become items. What already has the names of `/responses` is sent as it is.
 */
export function responsesFields({
  prompt,
  system,
  messages,
  max_tokens: maxTokens,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(messages === undefined ? { input: prompt } : { input: itemsOf(messages) }),
    ...(system !== undefined && { instructions: system }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...rest,
  };
}

function itemsOf(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message.content)) return message;
    return { ...message, content: message.content.map(partOf) };
  });
}

/** A part of a chat message under its name in `/responses`. */
function partOf(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (part.type === 'text') return { ...part, type: 'input_text' };
  if (part.type !== 'image_url') return part;
  const { image_url: image } = part;
  return {
    type: 'input_image',
    ...(isObject(image) ? { image_url: image.url, detail: image.detail ?? 'auto' } : { image_url: image }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
