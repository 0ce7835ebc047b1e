import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { type Connection, connect } from '../connection.ts';
import { DraftError, fetchJson, type ModelDraft } from '../drafts/draft.ts';
import type { Schema } from '../drafts/inputSchema.ts';
import { familyOf } from './families.ts';
import { versioned } from './openai.ts';

/** A model that the server lists, by what is known of its family. @throws DraftError */
export async function openaiDraft(
  connection: Connection,
  connectionName: string,
  name: string,
): Promise<ModelDraft> {
  const http = connect({ ...connection, baseUrl: versioned(connection.baseUrl) });
  try {
    const { data } = await fetchJson(http, '/models', 'list of models');
    const listed = (Array.isArray(data) ? data.filter(isObject) : []).find(({ id }) => id === name);
    if (listed === undefined) throw new DraftError(`the server lists no model ${name}`);
    return draftOf(listed, connectionName, name);
  } finally {
    http.close();
  }
}

function draftOf(listed: Schema, connection: string, name: string): ModelDraft {
  const { endpoint, properties, required, example, output, provider, rename, ...family } = familyOf(name);
  const hasPrompt = required.length > 0;
  const { price, priceNote } = priceOf(listed);
  const input = bounded(properties, listed);
  return {
    source: `the list of models of ${connection}, and what is known of models that are named so`,
    name,
    description: typeof listed['description'] === 'string' ? listed['description'] : null,
    aliases: [name],
    provider: {
      adapter: 'openai',
      connection,
      model: name,
      ...(provider?.mode && { mode: provider.mode }),
      options: { endpoint },
      ...(rename && { input: { rename } }),
      ...(provider?.files && { files: provider.files }),
    },
    input: {
      schema: {
        type: 'object',
        additionalProperties: false,
        ...(hasPrompt ? { required } : { anyOf: [{ required: ['prompt'] }, { required: ['messages'] }] }),
        properties: input,
        examples: [example],
      },
      notes: {},
    },
    price,
    priceNote,
    ...(family.estimate && { estimate: family.estimate }),
    ...(family.timeoutS !== undefined && { timeoutS: family.timeoutS }),
    output,
    stream: family.stream ?? null,
  };
}

/** Some servers list how many tokens fit. */
function bounded(properties: Schema, { max_model_len: length, context_length: window }: Schema): Schema {
  const most = [length, window].find((one) => typeof one === 'number' && Number.isInteger(one) && one > 0);
  const { max_tokens: tokens } = properties;
  return most === undefined || !isObject(tokens)
    ? properties
    : { ...properties, max_tokens: { ...tokens, maximum: most } };
}

/** OpenRouter, and servers like it, list prices per token as decimals. */
function priceOf({ pricing }: Schema): { price: ModelFile['price'] | null; priceNote: string } {
  const { prompt, completion } = Object(pricing);
  const isDecimal = (one: unknown): one is string =>
    typeof one === 'string' && /^\d+(\.\d{1,12})?$/.test(one);
  if (isDecimal(prompt) && isDecimal(completion)) {
    const price = { per_input_token: prompt, per_output_token: completion };
    return { price, priceNote: 'The server charges this: set what you charge.' };
  }
  return { price: null, priceNote: 'Set what a run costs: the list of models has no prices.' };
}
