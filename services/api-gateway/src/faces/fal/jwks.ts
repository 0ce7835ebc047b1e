import { type Endpoint, keylessEndpoint } from '../../context/endpoint.ts';
import { falPrefix } from './target.ts';

/** Where receivers of webhooks get the keys: below the face's own path, and on the host name in place of `rest.fal.ai`. */
const paths = [`${falPrefix}.well-known/jwks.json`, `${falPrefix}rest/.well-known/jwks.json`];

export const jwksEndpoints: readonly Endpoint[] = paths.map((path) =>
  keylessEndpoint({
    method: 'GET',
    path,
    tag: 'fal',
    summary: 'Read the keys that verify webhooks',
    access: 'anyone',
    limit: 'other',
    responses: { 200: { description: 'A JSON Web Key Set', schema: null } },
    handle: async ({ context }) => ({ status: 200, body: context.falKeyPairs.jwks }),
  }),
);
