import { describe, expect, it } from '@jest/globals';
import { baseConfig } from './config.ts';
import { changeDatabaseUrl, databaseServers, databaseUrlProblems } from './databaseAddress.ts';

const here = encodeURIComponent(import.meta.filename);

describe('databaseUrlProblems', () => {
  it.each([
    'postgresql://user:p%40ss@db.example:5432/holdfast',
    'postgres://user@/holdfast?host=/var/run/postgresql',
    'postgres://db.example/holdfast?sslmode=verify-full',
    'postgres://user:secret@db.example?sslmode=no-verify',
    'postgres://user:secret@a:5432,b:5433,[::1]:5434/holdfast?target_session_attrs=read-write',
  ])('finds nothing wrong with %s', (url) => {
    expect(databaseUrlProblems(url)).toEqual([]);
  });

  it.each([
    ['postgresrubbish:secret', /^is not a URL like postgresql:/],
    ['mysql://user:secret@db.example/holdfast', /^is not a URL like/],
    ['postgres://user:secret@db.example:port/holdfast', /^is not a URL like/],
    ['postgres://user:sec%zzret@db.example/holdfast', /^is not a URL like/],
    ['postgres://user:secret@db.example/holdfast?sslmode=verify', /^sslmode is none of disable, /],
    ['postgres://user:secret@a:5432,b:port/holdfast', /^is not a URL like/],
    ['postgres://user:secret@a,/holdfast', /^is not a URL like/],
    [
      'postgres://user:secret@a,b/holdfast?target_session_attrs=any',
      /^target_session_attrs is none of read-write, primary$/,
    ],
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

describe('a URL of several servers', () => {
  const url = 'postgresql://user:p%40s,s@a:5432,b:5433,[::1]/holdfast?sslmode=disable';

  it('is one URL for each, with the same login, database and parameters', () => {
    expect(databaseServers(url)).toEqual([
      'postgresql://user:p%40s,s@a:5432/holdfast?sslmode=disable',
      'postgresql://user:p%40s,s@b:5433/holdfast?sslmode=disable',
      'postgresql://user:p%40s,s@[::1]/holdfast?sslmode=disable',
    ]);
  });

  it('keeps its servers when another part of it changes', () => {
    const changed = changeDatabaseUrl(url, (server) =>
      Object.assign(server, { pathname: '/other', username: 'me' }),
    );
    expect(changed).toBe('postgresql://me:p%40s,s@a:5432,b:5433,[::1]/other?sslmode=disable');
    const login = changeDatabaseUrl('postgresql://a:1,b:2/holdfast', (server) =>
      Object.assign(server, { username: 'me' }),
    );
    expect(login).toBe('postgresql://me@a:1,b:2/holdfast');
  });

  it('is itself if it names one server, or a socket', () => {
    for (const one of ['postgresql://user@db.example/holdfast', 'postgres://user@/holdfast?host=/run/a,b']) {
      expect(databaseServers(one)).toEqual([one]);
    }
  });
});
