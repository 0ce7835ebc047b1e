import { expect, it } from '@jest/globals';
import { meant } from './named.ts';

const [shop, Shop, shops] = ['shop', 'Shop', 'shops'].map((name) => ({ id: `org_${name}`, name }));

it.each([
  ['the only one that was found', [shops], 'sho', shops],
  ['the one of just this name', [shop, Shop, shops], 'Shop', Shop],
  ['the only one of this name in other letters', [shops, Shop], 'SHOP', Shop],
  ['nobody, if two have this name', [shop, shop, shops], 'shop', null],
  ['nobody, if several begin with it', [Shop, shops], 'sho', null],
  ['nobody, if none was found', [], 'shop', null],
])('a typed name means %s', (_title, found, typed, expected) => {
  expect(
    meant(
      found.flatMap((one) => one ?? []),
      typed,
    ),
  ).toEqual(expected);
});
