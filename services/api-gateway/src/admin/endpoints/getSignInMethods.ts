import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { EnvironmentRecord } from '../sessionRecord.ts';

export const getSignInMethods = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/sign-in-methods',
  tag: 'Sessions',
  summary: 'Read how operators can sign in',
  description: 'An admin token always works. For the page on which nobody is signed in yet.',
  access: 'anyone',
  limit: 'other',
  responses: {
    200: {
      description: 'The methods',
      schema: z
        .object({
          oidc: z
            .object({ label: z.string().describe('The name of the provider') })
            .meta({ id: 'OidcSignInMethod' })
            .nullable()
            .describe('Null: OIDC is not configured'),
          environment: EnvironmentRecord.nullable().describe('Null: `ENVIRONMENT_NAME` is not set'),
        })
        .meta({ id: 'SignInMethods' }),
    },
  },
  handle: ({ context: { oidc, config } }) =>
    Promise.resolve({
      status: 200,
      body: { oidc: oidc && { label: oidc.label }, environment: config.ENVIRONMENT_NAME ?? null },
    }),
});
