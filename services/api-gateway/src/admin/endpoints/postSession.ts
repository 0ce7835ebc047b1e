import { forgetFailures } from '@holdfast/db/operatorSessions';
import { ApiError } from '@holdfast/domain/errors';
import { signIn } from '@holdfast/domain/operators';
import type { Request } from 'express';
import { z } from 'zod';
import { requireConsole } from '../../access/consoleRequest.ts';
import { readOperators, tokenFor } from '../../access/operators.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { SessionRecord } from '../sessionRecord.ts';
import { countAttempt, startSession } from '../signIn.ts';

export const postSession = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/session',
  tag: 'Sessions',
  summary: 'Sign in to the console',
  description:
    'Exchanges an admin token or a sign-in link for a session in a cookie that scripts cannot read. Only pages of the console ' +
    'can sign in. After five failures an address is locked out for up to 15 minutes.',
  access: 'anyone',
  limit: 'other',
  body: z.strictObject({
    token: z.string().min(1).max(400).describe('An admin token, or the token of a link'),
  }),
  responses: { 201: { description: 'The session, and its cookie', schema: SessionRecord } },
  errors: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async handle({ context, body, raw }) {
    requireConsole(raw.request as Request, context.config.CONSOLE_URL);
    const counted = await countAttempt(context, raw, { prefix: '', max: signIn.maxFailures });
    const operators = readOperators(context.config);
    const found = await tokenFor(context.db, operators, body.token);
    if (!found)
      throw new ApiError('UNAUTHENTICATED', 'The token is wrong, or the link was used or has expired.');
    const { name: actor, token: terms, method } = found;
    const role = operators.roleOf(actor);
    const reply = await startSession(context, raw, { actor, role, method, terms, details: {} });
    await forgetFailures(context.db, counted);
    return reply;
  },
});
