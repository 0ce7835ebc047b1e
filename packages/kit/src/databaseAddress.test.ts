import { describe, expect, it } from '@jest/globals';
import { baseConfig } from './config.ts';
import { databaseUrlProblems } from './databaseAddress.ts';

const here = encodeURIComponent(import.meta.filename);

describe('databaseUrlProblems', () => {
  it.each([
    'postgresql://user:p%40ss@db.example:5432/holdfast',
    'postgres://user@/holdfast?host=/var/run/postgresql',
    'postgres://db.example/holdfast?sslmode=verify-full',
    'postgres://user:secret@db.example?sslmode=no-verify',
  ])('finds nothing wrong with %s', (url) => {
    expect(databaseUrlProblems(url)).toEqual([]);
  });

  it.each([
    ['postgresrubbish:secret', /^is not a URL like postgresql:/],
    ['mysql://user:secret@db.example/holdfast', /^is not a URL like/],
    ['postgres://user:secret@db.example:port/holdfast', /^is not a URL like/],
    ['postgres://user:sec%zzret@db.example/holdfast', /^is not a URL like/],
    ['postgres://user:secret@db.example/holdfast?sslmode=verify', /^sslmode is none of disable, /],
    [
      'postgres://user:secret@db.example/holdfast?sslrootcert=/no/ca.pem',
      /^sslrootcert \/no\/ca.pem can't be read/,
    ],
    [`postgres://user:secret@db.example/holdfast?sslkey=${here}`, /^sslkey .* is not a PEM file$/],
  ])('explains what is wrong with %s, without the password', (url, expected) => {
    const [problem = 'it was taken'] = databaseUrlProblems(url);
    expect(problem).toMatch(expected);
    expect(problem).not.toMatch(/secret|sec%/);
    expect(baseConfig.DATABASE_URL.safeParse(url).error?.issues[0]?.message).toBe(problem);
  });

  it('lists every problem at once', () => {
    const url = 'postgres://db.example/holdfast?sslmode=x&sslrootcert=/no/a.pem&sslcert=/no/b.pem';
    expect(databaseUrlProblems(url)).toHaveLength(3);
  });
});
