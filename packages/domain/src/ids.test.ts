import { expect, it } from '@jest/globals';
import { newApiKey } from './apiKey.ts';
import { idPrefixes, isId, maxCell, newId, useCell } from './ids.ts';

it.each(idPrefixes)('a new %s id is a prefix and a UUIDv7, sorts by time, and is recognized', (prefix) => {
  const ids = [newId(prefix), newId(prefix), newId(prefix)];
  expect(ids[0]).toMatch(
    new RegExp(`^${prefix}_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
  );
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => isId(prefix, id))).toBe(true);
});

it.each([
  'exec_',
  'exec_x',
  `file_${newId('exec').slice(5)}`,
  `${newId('exec')}\n`,
  newId('exec').toUpperCase(),
])('%j is not the id of an execution', (text) => {
  expect(isId('exec', text)).toBe(false);
});

it.each([
  [0, '000'],
  [1, '001'],
  [maxCell, 'fff'],
])('ids and API keys made in cell %j name it, and sort by time', (cell, digits) => {
  useCell(cell);
  try {
    const ids = Array.from({ length: 1000 }, () => newId('exec'));
    expect(ids.every((id) => id.slice(19, 23) === `7${digits}`)).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
    expect(newApiKey().slice(3, 6)).toBe(digits);
  } finally {
    useCell(0);
  }
});
