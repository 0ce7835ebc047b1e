import { describe, expect, it } from '@jest/globals';
import { firstAdminToken, parseAdminTokens } from './adminTokens.ts';

describe('admin tokens', () => {
  const long = 'a'.repeat(16);
  it.each([
    [long, [{ name: 'admin', token: long }]],
    [
      `ann:${long}, bob:${long}b`,
      [
        { name: 'ann', token: long },
        { name: 'bob', token: `${long}b` },
      ],
    ],
    [
      `ann:${long},ann:${long}2`,
      [
        { name: 'ann', token: long },
        { name: 'ann', token: `${long}2` },
      ],
    ],
    [`ann:short-one-with-it`, [{ name: 'ann', token: 'short-one-with-it' }]],
    [`a name:${long}`, null],
    ['short', null],
    [`${long},`, null],
    [`ann:${long},bob:short`, null],
    // Neither a name and its token, nor a token that looks like one.
    ['the-operator-ann:short', null],
    [`ann@example.com:${long}`, null],
    // Whose is it?
    [`ann:${long},bob:${long}`, null],
    ['', null],
  ])('%s', (text, wanted) => {
    expect(parseAdminTokens(text)).toEqual(wanted);
  });

  it.each([long, `ann:${long},bob:${long}b`])('in %s provide the first token for requests', (text) => {
    expect(firstAdminToken(text)).toBe(long);
  });
});
