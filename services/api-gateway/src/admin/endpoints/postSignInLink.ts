import { insertSignInLink } from '@holdfast/db/operatorSessions';
import { ApiError } from '@holdfast/domain/errors';
import { signIn } from '@holdfast/domain/operators';
import { z } from 'zod';
import { bearerToken } from '../../access/callers.ts';
import { identityOf } from '../../access/identity.ts';
import { credentialOf, requireNamed } from '../../access/operators.ts';
import { hashSecret, newSecret } from '../../access/secrets.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { timestamp } from '../../http/fields.ts';

export const postSignInLink = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/sign-in-links',
  tag: 'Sessions',
  summary: 'Create a sign-in link',
  description:
    'For one sign-in as the operator of the admin token, within 10 minutes. Open the console with the token in the fragment, ' +
    'which browsers do not send: `/console#sign-in=TOKEN`. A session cannot create links.',
  access: 'operator',
  limit: 'other',
  responses: {
    201: {
      description: 'The token of the link, shown once',
      schema: z
        .object({ token: z.string(), expires_at: timestamp('When the link expires') })
        .meta({ id: 'SignInLink' }),
    },
  },
  errors: ['FORBIDDEN'],
  async handle({ context, raw }) {
    const { name, sessionId } = requireNamed(identityOf(raw.response).operator);
    const adminToken = bearerToken(raw.request.headers.authorization);
    if (sessionId !== null || adminToken === null) {
      throw new ApiError('FORBIDDEN', 'Only an admin token can create a sign-in link.');
    }
    const token = newSecret('link_');
    const link = { hash: hashSecret(token), actor: name, credential: credentialOf(token, adminToken) };
    const expiresAt = await insertSignInLink(context.db, link, signIn.linkMs);
    return { status: 201, body: { token, expires_at: expiresAt.toISOString() } };
  },
});
