import type { OperatorSession } from '@holdfast/db/operatorSessions';
import { environmentColors } from '@holdfast/domain/environment';
import { operatorRoles, signInMethods } from '@holdfast/domain/operators';
import { z } from 'zod';
import { idField, timestamp } from '../http/fields.ts';

const actor = z.string().describe('The name of the operator');
export const Role = z
  .enum(operatorRoles)
  .meta({ id: 'OperatorRole', description: 'What the operator may do' });

export const EnvironmentRecord = z
  .object({ name: z.string(), color: z.enum(environmentColors) })
  .meta({ id: 'Environment', description: 'What `ENVIRONMENT_NAME` says' });

export const CurrentSession = z
  .object({
    id: idField('ses').nullable().describe('Null for a request with an admin token'),
    actor,
    role: Role,
    environment: EnvironmentRecord.nullable().describe('Null: `ENVIRONMENT_NAME` is not set'),
  })
  .meta({ id: 'CurrentSession' });

export const SessionRecord = z
  .object({
    id: idField('ses'),
    actor,
    role: Role,
    method: z
      .enum(signInMethods)
      .describe('How the operator signed in: with an admin token, a link, or at the OIDC provider'),
    address: z.string().describe('The address from which the operator signed in'),
    user_agent: z.string(),
    created_at: timestamp('When the operator signed in'),
    expires_at: timestamp('When the session ends'),
    is_current: z.boolean().describe('Whether it is the session of this request'),
  })
  .meta({ id: 'OperatorSession' });

export function sessionRecord(
  session: OperatorSession,
  currentId: string | null,
): z.infer<typeof SessionRecord> {
  return {
    id: session.id,
    actor: session.actor,
    role: session.role,
    method: session.method,
    address: session.address,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    is_current: session.id === currentId,
  };
}
