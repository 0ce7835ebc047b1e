import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

it('refuses a role of an operator without a token, for a misspelt name would leave its operator an admin', () => {
  const env = { ADMIN_TOKEN: 'ann:a-token-of-hers-alone' };
  expect(() => readConfig({ ...env, ADMIN_ROLES: 'anne:viewer' })).toThrow(
    'ADMIN_ROLES: ADMIN_TOKEN has no operator named anne',
  );
  expect(() => readConfig({ ...env, ADMIN_ROLES: 'ann:viewer' })).not.toThrow(/ADMIN_ROLES/);
});

describe('the settings of OIDC', () => {
  const whole = {
    CONSOLE_URL: 'https://console.example.com',
    CONSOLE_OIDC_ISSUER: 'https://login.example.com/realms/ops',
    CONSOLE_OIDC_CLIENT_ID: 'holdfast',
    CONSOLE_OIDC_CLIENT_SECRET: 'a secret',
  };
  const problems = (env: Record<string, string>) => {
    try {
      readConfig(env);
    } catch (error) {
      return String(error)
        .split('\n')
        .filter((line) => line.includes('CONSOLE_'));
    }
    return [];
  };

  it('are complete or absent', () => {
    expect(problems({})).toEqual([]);
    expect(problems(whole)).toEqual([]);
    const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_URL: url, ...rest } = whole;
    expect(problems({ CONSOLE_OIDC_ISSUER: issuer })).toEqual([
      '  CONSOLE_OIDC_CLIENT_ID is not set: CONSOLE_OIDC_ISSUER needs it',
      '  CONSOLE_OIDC_CLIENT_SECRET is not set: CONSOLE_OIDC_ISSUER needs it',
      '  CONSOLE_URL is not set: CONSOLE_OIDC_ISSUER needs it',
    ]);
    expect(problems({ CONSOLE_URL: url, ...rest })).toEqual([
      '  CONSOLE_OIDC_CLIENT_ID: has no effect without CONSOLE_OIDC_ISSUER',
      '  CONSOLE_OIDC_CLIENT_SECRET: has no effect without CONSOLE_OIDC_ISSUER',
    ]);
  });

  it.each([
    ['CONSOLE_URL', 'http://console.example.com', 'must be an origin'],
    ['CONSOLE_URL', 'https://console.example.com/console', 'must be an origin'],
    ['CONSOLE_OIDC_ISSUER', 'http://login.example.com', 'must be the https URL'],
    ['CONSOLE_OIDC_ISSUER', 'https://login.example.com/?tenant=1', 'must be the https URL'],
    ['CONSOLE_OIDC_ISSUER', 'https://10.1.2.3', 'unless CONSOLE_OIDC_ALLOW_ORIGINS has https://10.1.2.3'],
    [
      'CONSOLE_OIDC_ISSUER',
      'https://login.internal',
      'unless CONSOLE_OIDC_ALLOW_ORIGINS has https://login.internal',
    ],
    ['CONSOLE_OIDC_ROLES', 'staff:owner', 'must be a list'],
    ['CONSOLE_OIDC_SCOPES', 'profile', 'must contain openid'],
    ['CONSOLE_OIDC_ALLOW_ORIGINS', 'login.internal', 'must be origins'],
  ])('refuse %s=%s', (name, value, problem) => {
    expect(problems({ ...whole, [name]: value }).join()).toContain(problem);
  });

  it('allow a private issuer by its origin, and a provider on the same machine', () => {
    for (const origin of ['https://login.internal', 'https://10.1.2.3:8443', 'http://127.0.0.1:8080']) {
      const env = {
        ...whole,
        CONSOLE_OIDC_ISSUER: `${origin}/realms/ops`,
        CONSOLE_OIDC_ALLOW_ORIGINS: origin,
      };
      expect([origin, problems(env)]).toEqual([origin, []]);
    }
  });
});
