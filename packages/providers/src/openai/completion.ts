import { isObject, type JsonObject } from '@holdfast/kit/jsonSchema/values';

/** A chat completion put together from the chunks of its stream, as it would have come without one. */
export type Completion = {
  /** Returns the text that the chunk adds to the first choice. */
  add(chunk: JsonObject): string;
  isFinished(): boolean;
  document(): JsonObject;
};

/** Texts that come whole, at most once more in later chunks; those of other fields are joined. */
const wholeTexts = ['role', 'type', 'id', 'name', 'format', 'signature'];

export function createCompletion(): Completion {
  const fields: JsonObject = {};
  const choices = new Map<number, JsonObject>();

  function addChoice({ index = 0, delta, message, ...others }: JsonObject): string {
    if (typeof index !== 'number') return '';
    const choice = choices.get(index) ?? { index, message: { role: 'assistant', content: null } };
    choices.set(index, choice);
    const { logprobs, ...ends } = others;
    Object.assign(choice, given(ends), { logprobs: joined(choice['logprobs'], logprobs) });
    const added = delta ?? message;
    choice['message'] = joined(choice['message'], added);
    const content = isObject(added) ? added['content'] : null;
    return index === 0 && typeof content === 'string' ? content : '';
  }

  return {
    add({ choices: added, ...others }) {
      Object.assign(fields, given(others));
      return Array.isArray(added) ? added.filter(isObject).map(addChoice).join('') : '';
    },
    isFinished: () => typeof choices.get(0)?.['finish_reason'] === 'string',
    document() {
      const sorted = [...choices].toSorted(([a], [b]) => a - b).map(([, choice]) => choice);
      return { ...fields, object: 'chat.completion', choices: sorted.map(withoutIndexes) };
    },
  };
}

/** What a later chunk leaves out, or null, does not take back what an earlier one had. */
function given(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function joined(known: unknown, added: unknown, name = ''): unknown {
  if (added === undefined || added === null) return known;
  if (known === undefined || known === null) return added;
  if (typeof known === 'string' && typeof added === 'string') {
    if (wholeTexts.includes(name)) return added === '' ? known : added;
    return known + added;
  }
  if (Array.isArray(known)) return joinedLists(known, [added].flat());
  if (!isObject(known) || !isObject(added)) return added;
  for (const [key, value] of Object.entries(added)) {
    if (key !== '__proto__') known[key] = joined(Object.hasOwn(known, key) ? known[key] : null, value, key);
  }
  return known;
}

/** Items with the same `index` are pieces of one. */
function joinedLists(known: unknown[], added: unknown[]): unknown[] {
  for (const item of added) {
    const index = indexOf(item);
    const at = index === null ? -1 : known.findIndex((one) => indexOf(one) === index);
    if (at === -1) known.push(item);
    else known[at] = joined(known[at], item);
  }
  return known;
}

function indexOf(item: unknown): number | null {
  return isObject(item) && typeof item['index'] === 'number' ? item['index'] : null;
}

/** Only the pieces of a call have an index, not the whole. */
function withoutIndexes(choice: JsonObject): JsonObject {
  const { message } = choice;
  if (!isObject(message) || !Array.isArray(message['tool_calls'])) return choice;
  const calls = message['tool_calls'].map((call: unknown) => {
    if (!isObject(call)) return call;
    const { index: _index, ...whole } = call;
    return whole;
  });
  return { ...choice, message: { ...message, tool_calls: calls } };
}
