import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { refused } from './mapping.ts';
import { type Item, outputItems, type ResponseBody } from './response.ts';

/** Each is a read. */
const maxReferences = 200;

/**
 * The input with the output items that it names by their ids, as the AI SDK sends what an earlier response had.
 * @throws ApiError for one that is not there
 */
export async function withReferencedItems(
  input: ResponseBody['input'],
  find: (responseId: string) => Promise<Execution>,
): Promise<ResponseBody['input']> {
  if (typeof input === 'string' || !input.some(isReference)) return input;
  if (input.filter(isReference).length > maxReferences)
    throw refused('input', `input may refer to ${maxReferences} items.`, 'out_of_range');
  const items: Item[] = [];
  for (const item of input) items.push(isReference(item) ? await referenced(item, find) : item);
  return items;
}

const isReference = ({ type }: Item) => type === 'item_reference';

/** @throws ApiError */
async function referenced({ id }: Item, find: (responseId: string) => Promise<Execution>): Promise<Item> {
  const notFound = refused('input', `There is no item ${String(id).slice(0, 100)}.`, 'item_not_found');
  const [, response] = /^(?:msg|fc)_([^_]+)/.exec(String(id)) ?? [];
  if (response === undefined) throw notFound;
  const execution = await find(`resp_${response}`).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'NOT_FOUND' ? notFound : error;
  });
  const found = outputItems(execution).find((one) => one.id === id);
  if (found === undefined) throw notFound;
  return found;
}
